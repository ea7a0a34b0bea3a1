// A short that lies in two words, in code that lets the compiler believe it does not: its second byte counts too, also
// when the first is known already.
// EXPECT race
#include "order.h"
_Alignas(8) char x[8];
static void first(void) {
  *(volatile int*)x = 1;
  *(volatile short*)(x + 3) = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[4] = 2;  // race
}
int main(void) { RUN(first, second); }
