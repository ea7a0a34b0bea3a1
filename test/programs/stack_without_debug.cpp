// Without debug information the function is named from the symbol table, and no variable.
// EXPECT none
// FLAGS -g0
// COMMAND @PROGRAM@ 2>said; grep -A1 'stack of main thread.$' said | grep -q '#0 main <null> ' && ! grep -q Var said
#include <thread>

#include "order.h"
static void first(int* x) {
  await(1);
  *x = 1;
  reach(2);
}
static void second(int* x) {
  await(2);
  *x = 2;
}
int main() {
  int counter;
  std::thread one(first, &counter), two(second, &counter);
  reach(1);
  one.join();
  two.join();
  USE(&counter);
}
