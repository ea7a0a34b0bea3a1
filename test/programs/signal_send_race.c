// A handler may interrupt anything at any time: that a signal was sent orders nothing for it.
// EXPECT race
#include <signal.h>

#include "order.h"
int x, handled;
static pthread_t receiver;
static void handler(int number) {
  (void)number;
  x = 2;  // race
  __atomic_store_n(&handled, 1, __ATOMIC_RELAXED);
}
static void receive(void) {
  reach(1);
  while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == 0) sched_yield();
}
static void send(void) {
  await(1);
  x = 1;  // race
  MUST(pthread_kill(receiver, SIGUSR1) == 0);
}
int main(void) {
  signal(SIGUSR1, handler);
  receiver = start(receive);
  join(start(send));
  join(receiver);
}
