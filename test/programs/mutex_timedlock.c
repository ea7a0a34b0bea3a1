// EXPECT none
#include <time.h>

#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void body(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1000;
  MUST(pthread_mutex_timedlock(&mutex, &until) == 0);
  x++;
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(body, body); }
