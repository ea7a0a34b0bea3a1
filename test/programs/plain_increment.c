// x += 1 reads and writes; one bug is one report, however often it happens.
// EXPECT race
// HAS reported 1 warning
#include "order.h"
int x;
// Not inlined: of the loop GCC would make one addition of 100, and the read that it takes out of the loop has no line of its own.
__attribute__((noinline)) static void increment(void) { x += 1; }  // race
static void first(void) {
  for (int i = 0; i < 100; ++i) increment();
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 0; i < 100; ++i) increment();
}
int main(void) { RUN(first, second); }
