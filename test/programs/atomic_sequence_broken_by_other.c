// A relaxed store of another thread begins a new sequence.
// EXPECT race
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;  // race
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  reach(1);
}
static void third(void) {
  await(1);
  __atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
  reach(2);
}
static void second(void) {
  await(2);
  MUST(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2);
  USE(x);  // race
}
int main(void) { RUN(first, second, third); }
