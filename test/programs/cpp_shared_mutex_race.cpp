// Two readers' sections do not order each other.
// EXPECT race
#include <shared_mutex>

#include "order.h"
int x;
static std::shared_mutex mutex;
static void first() {
  std::shared_lock guard(mutex);
  x = 1;  // race
  guard.unlock();
  reach(1);
}
static void second() {
  await(1);
  std::shared_lock guard(mutex);
  x = 2;  // race
}
int main() { RUN(first, second); }
