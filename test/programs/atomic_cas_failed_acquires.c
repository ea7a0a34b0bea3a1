// A failed compare-exchange is a load with the failure order.
// EXPECT none
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  reach(1);
}
static void second(void) {
  await(1);
  int expected = 7;
  MUST(!__atomic_compare_exchange_n(&flag, &expected, 8, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  USE(x);
}
int main(void) { RUN(first, second); }
