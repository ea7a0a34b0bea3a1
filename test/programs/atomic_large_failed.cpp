// A compare-exchange that fails with a relaxed order learns nothing, also for large objects.
// EXPECT race
#include <atomic>

#include "order.h"
struct Large {
  long a, b, c;
};
std::atomic<Large> object{Large{0, 0, 0}};
int x;
static void first() {
  x = 1;  // race
  object.store(Large{1, 2, 3}, std::memory_order_release);
  reach(1);
}
static void second() {
  await(1);
  Large expected{9, 9, 9};
  MUST(!object.compare_exchange_strong(expected, Large{4, 5, 6}, std::memory_order_acquire, std::memory_order_relaxed));
  MUST(expected.a == 1 && expected.c == 3);
  x = 2;  // race
}
int main() { RUN(first, second); }
