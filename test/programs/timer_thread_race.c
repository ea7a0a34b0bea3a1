// What a thread does after it has set a timer is not ordered with the function of that timer, nor is what it does before it sets another one; that the function
// begins later changes nothing.
// EXPECT race
#include <signal.h>
#include <time.h>

#include "order.h"
int x, y;
static void expires(union sigval of) {
  (void)of;
  await(1);
  x = 1;  // race a
  y = 1;  // race b
  reach(2);
}
static void nothing(union sigval of) { (void)of; }
int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expires};
  struct sigevent other = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = nothing};
  timer_t timer, other_timer;
  MUST(timer_create(CLOCK_MONOTONIC, &other, &other_timer) == 0);
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec soon = {{0, 0}, {0, 100000000}}, late = {{0, 0}, {1000, 0}};
  MUST(timer_settime(timer, 0, &soon, NULL) == 0);
  x = 2;  // race a
  y = 2;  // race b
  MUST(timer_settime(other_timer, 0, &late, NULL) == 0);
  reach(1);
  await(2);
}
