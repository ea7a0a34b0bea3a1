// The program stops at the first report.
// EXPECT race
// OPTIONS halt_on_error=1
// EXIT 66
#include "order.h"
int x, y;
static void first(void) {
  x = 1;  // race
  y = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
  y = 2;
}
int main(void) { RUN(first, second); }
