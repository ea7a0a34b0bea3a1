// Two writes of an int, nothing between them.
// EXPECT race
// HAS Write of size 4
// HAS Previous write of size 4
// HAS Location is global 'x' of size 4
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
