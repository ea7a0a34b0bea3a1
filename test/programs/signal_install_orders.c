// What a thread did before it set a handler is known to the handler, whichever thread it interrupts.
// EXPECT none
#include <signal.h>

#include "order.h"
int x, handled;
static pthread_t receiver;
static void handler(int number) {
  (void)number;
  x = 2;
  __atomic_store_n(&handled, 1, __ATOMIC_RELAXED);
}
static void receive(void) {
  reach(1);
  while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == 0) sched_yield();
}
static void install(void) {
  await(1);
  x = 1;
  signal(SIGUSR1, handler);
  MUST(pthread_kill(receiver, SIGUSR1) == 0);
}
int main(void) {
  receiver = start(receive);
  join(start(install));
  join(receiver);
}
