// A request to stop is known to the callbacks for it, which the requester runs, and to threads that wait for it.
// EXPECT none
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "order.h"
int before, called, woken;
static std::mutex mutex;
static std::condition_variable_any never;
static void waits(std::stop_token token) {
  std::stop_callback callback(token, [] {
    USE(before);
    ++called;
  });
  std::unique_lock<std::mutex> held(mutex);
  never.wait(held, token, [] { return false; });
  ++woken;
}
int main() {
  for (int i = 0; i < 20; ++i) {
    std::jthread thread(waits);
    before = i;
  }
  return called == 20 && woken == 20 ? 0 : 1;
}
