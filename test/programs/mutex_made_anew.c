// Destroying and initialising a mutex forgets what it knew.
// EXPECT race
#include "order.h"
int x;
static pthread_mutex_t mutex;
static void first(void) {
  x = 1;  // race
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_mutex_init(&mutex, NULL);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;  // race
}
int main(void) {
  pthread_mutex_init(&mutex, NULL);
  RUN(first, second);
}
