// The lock inside libatomic is not the program's order.
// EXPECT race
// FLAGS -latomic
#include <atomic>

#include "order.h"
struct Large {
  long words[3];
};
int x;
std::atomic<Large> flag;
static void first() {
  x = 1;  // race
  flag.store(Large{{1, 1, 1}}, std::memory_order_relaxed);
}
static void second() {
  while (flag.load(std::memory_order_relaxed).words[1] == 0) sched_yield();
  USE(x);  // race
}
int main() { RUN(first, second); }
