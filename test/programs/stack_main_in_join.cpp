// Two threads race on a variable of main, which waits in std::thread::join: the report names main and the variable, not
// the function of the C++ library that main is in.
// EXPECT race
// HAS Location is stack of main thread\.$
// HAS ^    Variable 'counter' of main, declared at .*/stack_main_in_join.cpp:23$
// HAS #0 main .*/stack_main_in_join.cpp:
// HASNOT Variable '.*' of std::
#include <thread>

#include "order.h"
static void first(int* x) {
  await(1);
  *x = 1;  // race
  reach(2);
}
static void second(int* x) {
  await(2);
  *x = 2;  // race
}
int main() {
  char before[40];
  USE(before);
  int counter;
  std::thread one(first, &counter), two(second, &counter);
  reach(1);
  one.join();
  two.join();
  USE(&counter);
}
