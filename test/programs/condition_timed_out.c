// A wait that timed out has the mutex again.
// EXPECT none
#include <errno.h>
#include <time.h>

#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void body(void) {
  struct timespec long_ago = {1, 0};
  pthread_mutex_lock(&mutex);
  x++;
  MUST(pthread_cond_timedwait(&condition, &mutex, &long_ago) == ETIMEDOUT);
  x++;
  MUST(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &long_ago) == ETIMEDOUT);
  x++;
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(body, body, body); }
