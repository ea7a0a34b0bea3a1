// A lambda has a variable of its creator by reference: it is still the creator's.
// EXPECT race
// HAS Location is stack of main thread\.$
// HAS ^    Variable 'total' of add_up\(int\).*, declared at .*/stack_captured.cpp:13$
// HAS #0 add_up\(int\).* .*/stack_captured.cpp:
// HASNOT of main,
#include <thread>

#include "order.h"
__attribute__((noinline)) static int add_up(int n) {
  char before[24];
  USE(before);
  int total = n;
  std::thread one([&] {
    await(1);
    total += 1;  // race
    reach(2);
  });
  std::thread two([&] {
    await(2);
    total += 2;  // race
  });
  reach(1);
  one.join();
  two.join();
  USE(&total);
  return total;
}
int main() { return add_up(0) == 3 ? 0 : 1; }
