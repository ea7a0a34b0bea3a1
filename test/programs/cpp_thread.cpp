// EXPECT none
#include <thread>

#include "order.h"
int x;
int main() {
  x = 1;
  std::thread thread([] { x++; });
  thread.join();
  x++;
  {
    std::jthread other([] { x++; });
  }
  x++;
}
