// Destroying and initialising a mutex forgets what it knew; and nothing orders that before the other's lock.
// EXPECT race
#include "order.h"
int x;
static pthread_mutex_t mutex;
static void first(void) {
  x = 1;  // race a
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_mutex_init(&mutex, NULL);  // race b
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);  // race b
  pthread_mutex_unlock(&mutex);
  x = 2;  // race a
}
int main(void) {
  pthread_mutex_init(&mutex, NULL);
  RUN(first, second);
}
