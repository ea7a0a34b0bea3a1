// An atomic read of one byte says nothing about its neighbours.
// EXPECT none
#include "order.h"
static char x[4];
static void first(void) {
  USE(__atomic_load_n(&x[1], __ATOMIC_ACQUIRE));
  reach(1);
}
static void second(void) {
  await(1);
  *(volatile char*)&x[2] = 1;
}
int main(void) { RUN(first, second); }
