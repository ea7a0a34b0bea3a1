// A failed compare-exchange stores nothing, so it publishes nothing.
// EXPECT race
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;  // race
  int expected = 7;
  MUST(!__atomic_compare_exchange_n(&flag, &expected, 8, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  reach(1);
}
static void second(void) {
  await(1);
  MUST(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
