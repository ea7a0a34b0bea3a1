// A wait that finds a descriptor ready comes after what made it ready, also when nothing is read.
// EXPECT none
#include <sys/epoll.h>
#include <unistd.h>

#include "order.h"
int x, fds[2], epoll;
static void first(void) {
  x = 1;
  MUST(write(fds[1], "a", 1) == 1);
}
static void second(void) {
  struct epoll_event event;
  while (epoll_wait(epoll, &event, 1, -1) != 1) {
  }
  x = 2;
}
int main(void) {
  MUST(pipe(fds) == 0);
  epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event) == 0);
  RUN(first, second);
}
