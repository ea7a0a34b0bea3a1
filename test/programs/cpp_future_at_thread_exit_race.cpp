// Before the thread that will keep the promise has ended nothing is ordered.
// EXPECT race
#include <future>
#include <thread>

#include "order.h"
int x;
int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&] {
    promise.set_value_at_thread_exit(3);
    x = 1;  // race
    reach(1);
    await(2);
  });
  await(1);
  USE(x);  // race
  reach(2);
  MUST(future.get() == 3);
  thread.join();
}
