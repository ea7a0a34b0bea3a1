// A thread that reads that one timer has run out does not know what was done before another was set.
// EXPECT race
#include <sys/timerfd.h>
#include <unistd.h>

#include "order.h"
int x, one, two;
static const struct itimerspec soon = {{0, 0}, {0, 1000}};
static void sets(void) {
  x = 1;  // race
  MUST(timerfd_settime(one, 0, &soon, NULL) == 0);
  reach(1);
}
static void waits(void) {
  uint64_t times;
  await(1);
  MUST(read(two, &times, sizeof times) == sizeof times);
  x = 2;  // race
}
int main(void) {
  one = timerfd_create(CLOCK_MONOTONIC, 0);
  two = timerfd_create(CLOCK_MONOTONIC, 0);
  MUST(timerfd_settime(two, 0, &soon, NULL) == 0);
  RUN(sets, waits);
}
