// EXPECT none
#include <chrono>
#include <mutex>
#include <shared_mutex>

#include "order.h"
int x[6];
static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::recursive_timed_mutex recursive_timed;
static std::shared_mutex shared;
static std::shared_timed_mutex shared_timed;
static void body() {
  using namespace std::chrono_literals;
  for (int i = 0; i < 20; ++i) {
    {
      std::lock_guard guard(plain);
      x[0]++;
    }
    {
      std::lock_guard outer(recursive);
      std::lock_guard inner(recursive);
      x[1]++;
    }
    {
      MUST(timed.try_lock_for(1000s));
      x[2]++;
      timed.unlock();
    }
    {
      MUST(recursive_timed.try_lock_until(std::chrono::system_clock::now() + 1000s));
      x[3]++;
      recursive_timed.unlock();
    }
    if (i % 2 == 0) {
      std::unique_lock guard(shared);
      x[4]++;
    } else {
      std::shared_lock guard(shared);
      USE(x[4]);
    }
    if (i % 2 == 0) {
      std::unique_lock guard(shared_timed);
      x[5]++;
    } else {
      MUST(shared_timed.try_lock_shared_for(1000s));
      USE(x[5]);
      shared_timed.unlock_shared();
    }
    {
      std::scoped_lock both(plain, timed);
      x[0]++;
      x[2]++;
    }
  }
}
int main() { RUN(body, body, body); }
