// An atomic that no instruction does: libatomic takes a lock of its own.
// EXPECT none
// FLAGS -latomic
#include <atomic>

#include "order.h"
struct Large {
  long words[3];
};
int x;
std::atomic<Large> flag;
static void first() {
  x = 1;
  flag.store(Large{{1, 1, 1}}, std::memory_order_release);
}
static void second() {
  while (flag.load(std::memory_order_acquire).words[1] == 0) sched_yield();
  USE(x);
}
int main() { RUN(first, second); }
