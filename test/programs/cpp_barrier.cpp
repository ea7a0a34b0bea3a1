// EXPECT none
#include <barrier>

#include "order.h"
int x[2], completions;
static std::barrier barrier(2, []() noexcept { completions++; });
static void body(int me) {
  for (int round = 0; round < 10; ++round) {
    x[me] = round;
    barrier.arrive_and_wait();
    USE(x[1 - me]);
    barrier.arrive_and_wait();
  }
}
static void first() { body(0); }
static void second() { body(1); }
int main() { RUN(first, second); }
