// Blocks that two lines allocate are two bugs where they race in the same function; those of one line are one.
// EXPECT race
// HAS reported 2 warnings
#include "order.h"
static int* blocks[20];
static int* other;
static __attribute__((noinline)) void set(int* variable) {
  *variable = 1;  // race 2
  __asm__ volatile("");
}
static void set_all(void) {
  for (int i = 0; i < 20; ++i) set(blocks[i]);
  set(other);
}
static void first(void) {
  set_all();
  reach(1);
}
static void second(void) {
  await(1);
  set_all();
}
int main(void) {
  for (int i = 0; i < 20; ++i) blocks[i] = malloc(sizeof(int));
  other = malloc(sizeof(int));
  RUN(first, second);
}
