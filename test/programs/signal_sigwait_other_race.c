// A thread that waits for one signal does not know what the sender of another did.
// EXPECT race
#include <signal.h>

#include "order.h"
int x;
static pthread_t waiter;
static sigset_t signals;
static void wait_for_it(void) {
  sigset_t second;
  sigemptyset(&second);
  sigaddset(&second, SIGUSR2);
  await(1);
  siginfo_t info;
  MUST(sigwaitinfo(&second, &info) == SIGUSR2);
  x = 2;  // race
}
static void send(void) {
  x = 1;  // race
  MUST(pthread_kill(waiter, SIGUSR1) == 0);
  reach(1);
}
int main(void) {
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  MUST(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  waiter = start(wait_for_it);
  MUST(pthread_kill(waiter, SIGUSR2) == 0);
  join(start(send));
  join(waiter);
}
