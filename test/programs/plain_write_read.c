// A read after a write of another thread.
// EXPECT race
// HAS Read of size 4
// HAS Previous write of size 4
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
