// EXPECT none
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "order.h"
int x;
static bool ready, ready_any;
static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable condition;
static std::condition_variable_any any;
static void first() {
  x = 1;
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  condition.notify_one();
}
static void second() {
  {
    std::unique_lock guard(mutex);
    condition.wait(guard, [] { return ready; });
  }
  x = 2;
  {
    std::lock_guard guard(shared);
    ready_any = true;
  }
  any.notify_all();
}
static void third() {
  {
    std::shared_lock guard(shared);
    any.wait(guard, [] { return ready_any; });
  }
  x = 3;
}
int main() { RUN(third, second, first); }
