// EXPECT none
#include <semaphore.h>
#include <time.h>

#include "order.h"
int x;
static sem_t semaphore;
static void first(void) {
  x = 1;
  sem_post(&semaphore);
  sem_post(&semaphore);
  sem_post(&semaphore);
}
static struct timespec later(clockid_t clock) {
  struct timespec until;
  clock_gettime(clock, &until);
  until.tv_sec += 1000;
  return until;
}
static void by_try(void) {
  while (sem_trywait(&semaphore) != 0) sched_yield();
  USE(x);
}
static void by_time(void) {
  struct timespec until = later(CLOCK_REALTIME);
  MUST(sem_timedwait(&semaphore, &until) == 0);
  USE(x);
}
static void by_clock(void) {
  struct timespec until = later(CLOCK_MONOTONIC);
  MUST(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0);
  USE(x);
}
int main(void) {
  sem_init(&semaphore, 0, 0);
  RUN(first, by_try, by_time, by_clock);
}
