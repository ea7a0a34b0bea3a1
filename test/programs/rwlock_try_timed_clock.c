// EXPECT none
#include <time.h>

#include "order.h"
int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec later(clockid_t clock) {
  struct timespec until;
  clock_gettime(clock, &until);
  until.tv_sec += 1000;
  return until;
}
static void body(void) {
  struct timespec real = later(CLOCK_REALTIME), monotonic = later(CLOCK_MONOTONIC);
  while (pthread_rwlock_trywrlock(&lock) != 0) sched_yield();
  x++;
  pthread_rwlock_unlock(&lock);
  while (pthread_rwlock_tryrdlock(&lock) != 0) sched_yield();
  USE(x);
  pthread_rwlock_unlock(&lock);
  MUST(pthread_rwlock_timedwrlock(&lock, &real) == 0);
  x++;
  pthread_rwlock_unlock(&lock);
  MUST(pthread_rwlock_timedrdlock(&lock, &real) == 0);
  USE(x);
  pthread_rwlock_unlock(&lock);
  MUST(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &monotonic) == 0);
  x++;
  pthread_rwlock_unlock(&lock);
  MUST(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &monotonic) == 0);
  USE(x);
  pthread_rwlock_unlock(&lock);
}
int main(void) { RUN(body, body); }
