// An atomic read of one byte is remembered: a plain write of it that comes later races.
// EXPECT race
// HAS Previous atomic read of size 1
#include "order.h"
static char x[4];
static void first(void) {
  USE(__atomic_load_n(&x[1], __ATOMIC_ACQUIRE));  // race
  reach(1);
}
static void second(void) {
  await(1);
  *(volatile char*)&x[1] = 1;  // race
}
int main(void) { RUN(first, second); }
