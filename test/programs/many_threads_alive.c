// A thousand threads at once; two of them race.
// EXPECT race
#include "order.h"
int x, running, y[1000];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* body(void* argument) {
  long me = (long)argument;
  y[me] = 1;
  pthread_mutex_lock(&mutex);
  int now = __atomic_add_fetch(&running, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
  if (now == 1000) reach(1);
  await(1);
  if (me == 3) {
    x = 1;  // race
    reach(2);
  }
  if (me == 997) {
    await(2);
    x = 2;  // race
  }
  return NULL;
}
int main(void) {
  static pthread_t threads[1000];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  for (long i = 0; i < 1000; ++i) MUST(pthread_create(&threads[i], &attributes, body, (void*)i) == 0);
  for (int i = 0; i < 1000; ++i) join(threads[i]);
}
