// Nothing orders the destruction of a mutex after another thread's last use.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex;
static void first(void) {
  pthread_mutex_lock(&mutex);  // race
  pthread_mutex_unlock(&mutex);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_destroy(&mutex);  // race
}
int main(void) {
  pthread_mutex_init(&mutex, NULL);
  RUN(first, second);
}
