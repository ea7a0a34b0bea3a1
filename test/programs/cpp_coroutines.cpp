// Coroutines that go from thread to thread through a queue: each part knows what came before.
// EXPECT none
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>

#include "order.h"
static std::mutex mutex;
static std::condition_variable changed;
static std::deque<std::coroutine_handle<>> ready;
static int unfinished = 10, total;

struct ToAnotherThread {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    {
      const std::lock_guard<std::mutex> held(mutex);
      ready.push_back(handle);
    }
    changed.notify_one();
  }
  void await_resume() {}
};
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { abort(); }
  };
};
static Task work() {
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
    sum += i;
    co_await ToAnotherThread{};
  }
  const std::lock_guard<std::mutex> held(mutex);
  total += sum;
  if (--unfinished == 0) changed.notify_all();
}
static void runs() {
  for (;;) {
    std::unique_lock<std::mutex> held(mutex);
    changed.wait(held, [] { return unfinished == 0 || !ready.empty(); });
    if (ready.empty()) return;
    const std::coroutine_handle<> next = ready.front();
    ready.pop_front();
    held.unlock();
    next.resume();
  }
}
int main() {
  for (int i = 0; i < 10; ++i) work();
  RUN(runs, runs, runs);
  return total == 49500 ? 0 : 1;
}
