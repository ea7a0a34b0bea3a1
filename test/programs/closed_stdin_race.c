// With standard input and output closed reports name their lines: the helper that finds them is not confused by that.
// EXPECT race
// COMMAND exec @PROGRAM@ <&- >&-
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
