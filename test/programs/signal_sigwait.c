// Sending a signal is ordered before the return of a wait for it.
// EXPECT none
#include <signal.h>

#include "order.h"
int x;
static pthread_t waiter;
static sigset_t signals;
static void wait_for_it(void) {
  int number;
  MUST(sigwait(&signals, &number) == 0 && number == SIGUSR1);
  x = 2;
}
static void send(void) {
  x = 1;
  MUST(pthread_kill(waiter, SIGUSR1) == 0);
}
int main(void) {
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  MUST(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
  waiter = start(wait_for_it);
  join(start(send));
  join(waiter);
}
