// A request to stop is not known to a thread that does not ask for it.
// EXPECT race
#include <stop_token>
#include <thread>

#include "order.h"
int x;
int main() {
  std::stop_source source;
  std::jthread thread([] {
    await(1);
    USE(x);  // race
  });
  x = 1;  // race
  source.request_stop();
  reach(1);
}
