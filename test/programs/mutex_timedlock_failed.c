// EXPECT race
#include <time.h>

#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  x = 1;  // race
  pthread_mutex_lock(&mutex);
  reach(1);
  await(2);
  pthread_mutex_unlock(&mutex);
}
static void second(void) {
  await(1);
  struct timespec long_ago = {1, 0};
  MUST(pthread_mutex_timedlock(&mutex, &long_ago) != 0);
  x = 2;  // race
  reach(2);
}
int main(void) { RUN(first, second); }
