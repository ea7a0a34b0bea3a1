// A plain read beside an atomic write is a race.
// EXPECT race
// HAS Previous atomic write of size 4
#include "order.h"
int x;
static void first(void) {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
