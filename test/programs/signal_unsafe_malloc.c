// malloc in a handler is told: it may have interrupted malloc.
// EXPECT report
// HAS WARNING: ThreadSanitizer: signal-unsafe call inside of a signal
// HAS #0 malloc
// HAS #1 handler .*signal_unsafe_malloc.c:11
#include <signal.h>

#include "order.h"
static void handler(int number) {
  (void)number;
  void* volatile block = malloc(10);
  (void)block;
}
int main(void) {
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
}
