// An int at an address that is no multiple of 4, in code that lets the compiler believe it is: its second word counts
// too, also when the first is known already.
// EXPECT race
#include "order.h"
_Alignas(8) char x[16];
static void first(void) {
  *(volatile int*)x = 1;
  *(volatile int*)(x + 2) = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[5] = 2;  // race
}
int main(void) { RUN(first, second); }
