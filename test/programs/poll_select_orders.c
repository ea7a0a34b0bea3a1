// poll and select that find a pipe readable come after what was done before it was written to, whether or not it is
// read then.
// EXPECT none
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

#include "order.h"
int x, y, one[2], two[2];
static void first(void) {
  x = 1;
  MUST(write(one[1], "a", 1) == 1);
  y = 1;
  MUST(write(two[1], "a", 1) == 1);
}
static void polls(void) {
  struct pollfd wanted = {one[0], POLLIN, 0};
  MUST(poll(&wanted, 1, -1) == 1);
  x = 2;
}
static void selects(void) {
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(two[0], &readable);
  MUST(select(two[0] + 1, &readable, NULL, NULL, NULL) == 1);
  y = 2;
}
int main(void) {
  MUST(pipe(one) == 0 && pipe(two) == 0);
  RUN(first, polls, selects);
}
