// The function of a timer that runs in a thread of its own knows what was done before the timer was made and set.
// EXPECT none
#include <signal.h>
#include <time.h>

#include "order.h"
static int made, set, value, calls;
static timer_t timer;
static void expires(union sigval of) {
  MUST(of.sival_ptr == &value);
  made++;
  set++;
  value++;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELEASE);
}
static void makes(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expires, .sigev_value.sival_ptr = &value};
  made = 1;
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  reach(1);
}
static void sets(void) {
  await(1);
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  for (int i = 1; i <= 3; ++i) {
    set = value = i;
    MUST(timer_settime(timer, 0, &soon, NULL) == 0);
    while (__atomic_load_n(&calls, __ATOMIC_ACQUIRE) < i) sched_yield();
  }
  MUST(set == 4 && timer_delete(timer) == 0);
}
int main(void) { RUN(makes, sets); }
