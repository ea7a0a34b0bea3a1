// What comes after the unlock is not covered.
// EXPECT race
#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  x = 2;  // race
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(first, second); }
