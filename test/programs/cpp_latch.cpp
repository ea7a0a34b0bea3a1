// EXPECT none
#include <latch>

#include "order.h"
int x[2];
static std::latch latch(2);
static void first() {
  x[0] = 1;
  latch.count_down();
}
static void second() {
  x[1] = 1;
  latch.arrive_and_wait();
  x[0] = 2;
}
static void third() {
  latch.wait();
  USE(x[1]);
}
int main() { RUN(first, second, third); }
