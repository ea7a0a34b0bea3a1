// A poll that finds one pipe readable knows nothing of writers of another that it was asked about, too: only what was
// found counts.
// EXPECT race
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

#include "order.h"
int x, y, ready[2], other[2];
static void first(void) {
  x = 1;  // race a
  y = 1;  // race b
  MUST(write(other[1], "a", 1) == 1);
  reach(1);
}
static void polls(void) {
  await(1);
  struct pollfd wanted[] = {{ready[0], POLLIN, 0}, {other[0], POLLERR, 0}};
  MUST(poll(wanted, 2, -1) == 1);
  x = 2;  // race a
  fd_set readable, failed;
  FD_ZERO(&readable);
  FD_ZERO(&failed);
  FD_SET(ready[0], &readable);
  FD_SET(other[0], &failed);
  MUST(select(other[0] + 1, &readable, NULL, &failed, NULL) == 1);
  y = 2;  // race b
}
int main(void) {
  MUST(pipe(ready) == 0 && pipe(other) == 0);
  MUST(write(ready[1], "a", 1) == 1);
  RUN(first, polls);
}
