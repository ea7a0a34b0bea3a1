// EXPECT race
#include <thread>

#include "order.h"
int x;
int main() {
  std::thread thread([] {
    x = 1;  // race
    reach(1);
  });
  await(1);
  x = 2;  // race
  thread.join();
}
