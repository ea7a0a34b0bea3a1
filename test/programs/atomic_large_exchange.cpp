// Compare-exchange of an object that no instruction can handle: success releases and acquires.
// EXPECT none
#include <atomic>

#include "order.h"
struct Large {
  long a, b, c;
};
std::atomic<Large> object{Large{0, 0, 0}};
int x;
static void first() {
  x = 1;
  Large expected{0, 0, 0};
  MUST(object.compare_exchange_strong(expected, Large{1, 2, 3}, std::memory_order_release, std::memory_order_relaxed));
}
static void second() {
  for (;;) {
    Large expected{1, 2, 3};
    if (object.compare_exchange_strong(expected, Large{4, 5, 6}, std::memory_order_acquire, std::memory_order_relaxed))
      break;
    sched_yield();
  }
  x = 2;
}
int main() { RUN(first, second); }
