// An atomic write does not stand for the plain one before it: an atomic read races with that.
// EXPECT race
#include "order.h"
static long x;
static void first(void) {
  *(volatile long*)&x = 1;  // race
  __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  USE(__atomic_load_n(&x, __ATOMIC_RELAXED));  // race
}
int main(void) { RUN(first, second); }
