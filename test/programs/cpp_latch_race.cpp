// What is done after counting down is not covered.
// EXPECT race
#include <latch>

#include "order.h"
int x;
static std::latch latch(1);
static void first() {
  latch.count_down();
  x = 1;  // race
  reach(1);
}
static void second() {
  latch.wait();
  await(1);
  x = 2;  // race
}
int main() { RUN(first, second); }
