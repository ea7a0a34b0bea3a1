// With abort_on_error the program ends by SIGABRT, even where it ignores or blocks it.
// EXPECT race
// OPTIONS halt_on_error=1:abort_on_error=1
// EXIT 134
#include <signal.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
  await(2);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) {
  signal(SIGABRT, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGABRT);
  sigprocmask(SIG_BLOCK, &set, NULL);
  RUN(first, second);
}
