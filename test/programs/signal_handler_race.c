// A handler runs at once, and its accesses are checked.
// EXPECT race
#include <signal.h>

#include "order.h"
int x;
static void handler(int number) {
  (void)number;
  x = 1;  // race
}
static void first(void) {
  signal(SIGUSR1, handler);
  MUST(raise(SIGUSR1) == 0);
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
