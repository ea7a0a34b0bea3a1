// A thread that reads one signal from a descriptor does not know what the sender of another did.
// EXPECT race
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "order.h"
int x, fd;
static void receives(void) {
  struct signalfd_siginfo info;
  await(1);
  MUST(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2);
  x = 2;  // race
}
static void sends(void) {
  x = 1;  // race
  MUST(kill(getpid(), SIGUSR1) == 0);
  reach(1);
}
int main(void) {
  sigset_t both, second;
  sigemptyset(&both);
  sigaddset(&both, SIGUSR1);
  sigaddset(&both, SIGUSR2);
  sigemptyset(&second);
  sigaddset(&second, SIGUSR2);
  MUST(pthread_sigmask(SIG_BLOCK, &both, NULL) == 0);
  fd = signalfd(-1, &second, 0);
  MUST(kill(getpid(), SIGUSR2) == 0);
  RUN(sends, receives);
}
