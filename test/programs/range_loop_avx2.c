// A loop that a compiler turns into accesses of 32 bytes, which Clang would leave out of the instrumentation.
// EXPECT race
// FLAGS -mavx2
#include "order.h"
int x[1024], y[1024];
__attribute__((noinline)) static void add(void) {
  for (int i = 0; i < 1024; ++i) x[i] += y[i];  // race
}
static void first(void) {
  add();
  reach(1);
}
static void second(void) {
  await(1);
  add();
}
int main(void) { RUN(first, second); }
