// An atomic read after a plain write is a race.
// EXPECT race
// HAS Atomic read of size 4
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(__atomic_load_n(&x, __ATOMIC_SEQ_CST));  // race
}
int main(void) { RUN(first, second); }
