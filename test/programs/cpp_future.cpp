// Promise, packaged task, async and shared futures hand over what was done before.
// EXPECT none
#include <future>

#include "order.h"
int x[4];
static std::promise<int> promise;
static std::packaged_task<int()> task([] {
  x[1] = 1;
  return 2;
});
static std::promise<void> shared_promise;
static std::shared_future<void> shared = shared_promise.get_future().share();
static void maker() {
  x[0] = 1;
  promise.set_value(1);
  task();
  x[3] = 1;
  shared_promise.set_value();
}
static void user() {
  MUST(promise.get_future().get() == 1);
  USE(x[0]);
  MUST(task.get_future().get() == 2);
  USE(x[1]);
}
static void waiter() {
  std::shared_future<void> mine = shared;
  mine.wait();
  USE(x[3]);
}
int main() {
  std::future<int> started = std::async(std::launch::async, [] {
    x[2] = 1;
    return 3;
  });
  MUST(started.get() == 3);
  USE(x[2]);
  RUN(maker, user, waiter, waiter);
}
