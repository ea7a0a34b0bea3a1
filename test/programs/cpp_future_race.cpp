// EXPECT race
#include <future>

#include "order.h"
int x;
static std::promise<int> promise;
static std::future<int> future = promise.get_future();
static void maker() {
  promise.set_value(1);
  x = 1;  // race
  reach(1);
}
static void user() {
  MUST(future.get() == 1);
  await(1);
  x = 2;  // race
}
int main() { RUN(maker, user); }
