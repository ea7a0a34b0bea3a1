// EXPECT none
#include <atomic>

#include "order.h"
int x;
static std::atomic<int> flag{0};
static void first() {
  x = 1;
  flag.store(1, std::memory_order_release);
  flag.notify_all();
}
static void second() {
  flag.wait(0, std::memory_order_acquire);
  x = 2;
}
int main() { RUN(second, first); }
