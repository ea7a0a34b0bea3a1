// The variables of a coroutine are in a block of the heap; what runs it on some stack does not own them.
// EXPECT race
// HAS Location is heap block of size
// HASNOT Location is stack
// HASNOT Variable
#include <coroutine>

#include "order.h"
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static int* shared;
__attribute__((noinline)) static Task task() {
  int local;
  __atomic_store_n(&shared, &local, __ATOMIC_RELAXED);
  co_await std::suspend_always{};
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;  // race
  reach(1);
  await(2);
  USE(&local);
}
static void child() {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  reach(2);
}
int main() {
  const Task work = task();
  const pthread_t thread = start(child);
  work.handle.resume();
  work.handle.resume();
  join(thread);
  work.handle.destroy();
}
