// The program's own suppressions and options count.
// EXPECT none
// EXIT 7
#include "order.h"
const char* __tsan_default_suppressions(void) { return "race:^hidden_writer$\n"; }
const char* __tsan_default_options(void) { return "exitcode=9:print_suppressions=0"; }
int x;
__attribute__((noinline)) void hidden_writer(void) { x = 1; }
static void first(void) {
  hidden_writer();
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) {
  RUN(first, second);
  return 7;
}
