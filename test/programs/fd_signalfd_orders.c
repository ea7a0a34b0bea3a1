// Sending a signal is ordered before reading it from a descriptor, and before finding that descriptor ready.
// EXPECT none
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "order.h"
int x, y, fd, epoll;
static void receives(void) {
  struct signalfd_siginfo info;
  struct epoll_event event;
  MUST(epoll_wait(epoll, &event, 1, -1) == 1);
  y = 2;
  MUST(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
  x = 2;
}
static void sends(void) {
  x = y = 1;
  MUST(kill(getpid(), SIGUSR1) == 0);
}
int main(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  MUST(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  fd = signalfd(-1, &signals, 0);
  epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
  RUN(sends, receives);
}
