// Signals by the thousand, at any moment, while threads do what takes the run time's locks.
// Nothing hangs, none is lost.
// EXPECT none
#include <signal.h>
#include <string.h>

#include "order.h"
enum { kSignals = 5000 };
static int handled;
static pthread_t target;
static int shared_word;
static void handler(int number) {
  (void)number;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}
static void busy(void) {
  while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < kSignals) {
    char* volatile block = malloc(64);
    memset(block, 1, 64);
    free(block);
    __atomic_fetch_add(&shared_word, 1, __ATOMIC_ACQ_REL);
  }
}
static void send(void) {
  union sigval value = {0};
  for (int i = 0; i < kSignals; ++i) {
    while (pthread_sigqueue(target, SIGRTMIN, value) != 0) sched_yield();
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < i - 8) sched_yield();
  }
}
int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  MUST(sigaction(SIGRTMIN, &action, NULL) == 0);
  target = start(busy);
  join(start(send));
  join(target);
}
