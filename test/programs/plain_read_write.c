// A write after a read of another thread.
// EXPECT race
// HAS Write of size 4
// HAS Previous read of size 4
#include "order.h"
int x;
static void first(void) {
  USE(x);  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 1;  // race
}
int main(void) { RUN(first, second); }
