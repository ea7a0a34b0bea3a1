// An atomic write does not stand for a plain one of a half before it: an atomic read races with that.
// EXPECT race
#include "order.h"
static union {
  long whole;
  int half[2];
} x;
static void first(void) {
  *(volatile int*)&x.half[1] = 1;  // race
  __atomic_store_n(&x.whole, 2, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  USE(__atomic_load_n(&x.whole, __ATOMIC_RELAXED));  // race
}
int main(void) { RUN(first, second); }
