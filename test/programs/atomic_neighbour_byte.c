// The byte beside an atomic one is another variable.
// EXPECT none
#include "order.h"
_Alignas(4) char x[4];
static void first(void) {
  __atomic_store_n(&x[1], 1, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  x[0] = 1;
  x[2] = 1;
}
int main(void) { RUN(first, second); }
