// The usual reference count: release decrements, an acquire fence by the last owner.
// EXPECT none
#include <atomic>

#include "order.h"
struct Shared {
  std::atomic<int> count{2};
  int value = 0;
};
static Shared* shared = new Shared;
static void release() {
  if (shared->count.fetch_sub(1, std::memory_order_release) == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    shared->value = 3;
    delete shared;
  }
}
static void first() {
  shared->value = 1;
  release();
}
static void second() { release(); }
int main() { RUN(first, second); }
