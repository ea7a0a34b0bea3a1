// A byte that was only read, inside a word that is then written.
// EXPECT race
// HAS Previous read of size 1
#include "order.h"
union {
  long word;
  char bytes[8];
} x;
static void first(void) {
  USE(x.bytes[6]);  // race
  reach(1);
}
static void second(void) {
  await(1);
  x.word = 2;  // race
}
int main(void) { RUN(first, second); }
