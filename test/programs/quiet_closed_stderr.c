// Nowhere to report to: the status still says it.
// EXPECT none
// COMMAND exec @PROGRAM@ 2>&-
// EXIT 66
#include "order.h"
int x;
static void first(void) {
  x = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) { RUN(first, second); }
