// The report says which block it is and where it was allocated.
// EXPECT race
// HAS Location is heap block of size 24 at 0x.* allocated by main thread
// HAS #[01] .*make_block .*heap_race.c:8
#include "order.h"
int* x;
__attribute__((noinline)) static int* make_block(void) {
  int* block = malloc(24);
  USE(block);
  return block;
}
static void first(void) {
  x[3] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[3] = 2;  // race
}
int main(void) {
  x = make_block();
  RUN(first, second);
}
