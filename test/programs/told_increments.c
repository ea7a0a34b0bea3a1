// The read and the write of x += v are one line: two such lines are one report, and so is each with itself.
// EXPECT race
// OPTIONS suppress_equal_addresses=0
// COMPILERS gcc
// HAS reported 1 warning
#include "order.h"
int x;
static __attribute__((noinline)) void add(int v) { x += v; }       // race
static __attribute__((noinline)) void subtract(int v) { x -= v; }  // race
static void first(void) {
  add(1);
  reach(1);
  await(2);
  add(2);
}
static void second(void) {
  await(1);
  subtract(1);
  subtract(2);
  reach(2);
}
int main(void) { RUN(first, second); }
