// The earlier stack is still whole after the thread has called many functions since.
// EXPECT race
// HAS #1 .*middle_of_first
// HAS #2 .*outer_of_first
#include "order.h"
int x, calls;
__attribute__((noinline)) static void top(void) {
  x = 1;  // race
  __asm__ volatile("");
}
__attribute__((noinline)) static void middle_of_first(void) {
  top();
  __asm__ volatile("");
}
__attribute__((noinline)) static void outer_of_first(void) {
  middle_of_first();
  __asm__ volatile("");
}
__attribute__((noinline)) static void other(int depth) {
  calls++;
  if (depth > 0) other(depth - 1);
  __asm__ volatile("");
}
static void first(void) {
  outer_of_first();
  for (int i = 0; i < 10000; ++i) other(20);
  reach(1);
}
static void second(void) {
  await(1);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
