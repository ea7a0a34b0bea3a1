// With a relaxed failure order it orders nothing, whatever the success order.
// EXPECT race
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;  // race
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  reach(1);
}
static void second(void) {
  await(1);
  int expected = 7;
  MUST(!__atomic_compare_exchange_n(&flag, &expected, 8, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  USE(x);  // race
}
int main(void) { RUN(first, second); }
