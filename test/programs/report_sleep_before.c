// A sleep that was over before the other access was made kept nothing apart.
// EXPECT race
// HASNOT As if synchronized via sleep
#include <unistd.h>

#include "order.h"
int x, y;
static void* writer(void* unused) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  y = 1;
  reach(1);
  await(2);
  pthread_mutex_lock(&mutex);  // an epoch ends here
  pthread_mutex_unlock(&mutex);
  x = 1;  // race
  reach(3);
  await(4);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  await(1);
  usleep(1);
  reach(2);
  await(3);
  x = 2;  // race
  reach(4);
  pthread_join(thread, 0);
}
