// A promise that is kept when its thread ends: what the thread did until then comes before.
// EXPECT none
#include <future>
#include <thread>

#include "order.h"
int x;
int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&] {
    promise.set_value_at_thread_exit(3);
    x = 1;
  });
  MUST(future.get() == 3);
  USE(x);
  thread.join();
}
