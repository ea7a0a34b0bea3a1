// To wait and to notify order nothing beyond the memory order that was asked for.
// EXPECT race
#include <atomic>

#include "order.h"
int x;
static std::atomic<int> flag{0};
static void first() {
  x = 1;  // race
  flag.store(1, std::memory_order_relaxed);
  flag.notify_all();
}
static void second() {
  flag.wait(0, std::memory_order_relaxed);
  USE(x);  // race
}
int main() { RUN(second, first); }
