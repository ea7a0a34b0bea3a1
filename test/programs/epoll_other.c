// A wait for one pipe says nothing about writers of another.
// EXPECT race
#include <sys/epoll.h>
#include <unistd.h>

#include "order.h"
int x, watched[2], other[2], epoll;
static void first(void) {
  x = 1;  // race
  MUST(write(other[1], "a", 1) == 1);
  reach(1);
}
static void second(void) {
  struct epoll_event event;
  await(1);
  MUST(epoll_wait(epoll, &event, 1, -1) == 1);
  x = 2;  // race
}
int main(void) {
  MUST(pipe(watched) == 0 && pipe(other) == 0);
  epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, watched[0], &event) == 0);
  MUST(write(watched[1], "a", 1) == 1);
  RUN(first, second);
}
