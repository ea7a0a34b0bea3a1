// EXPECT none
// OPTIONS suppressions=@DIR@/option_suppressions.txt
// HAS race:\^hidden_writer\$
#include "order.h"
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
int main(void) { RUN(first, second); }
