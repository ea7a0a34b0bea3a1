// A thread that reads that a timer has run out knows what was done before it was set.
// EXPECT none
#include <sys/timerfd.h>
#include <unistd.h>

#include "order.h"
int x, fd;
static void sets(void) {
  x = 1;
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  MUST(timerfd_settime(fd, 0, &soon, NULL) == 0);
}
static void waits(void) {
  uint64_t times;
  MUST(read(fd, &times, sizeof times) == sizeof times);
  x = 2;
}
int main(void) {
  fd = timerfd_create(CLOCK_MONOTONIC, 0);
  RUN(sets, waits);
}
