// Since C++20 a relaxed store of the same thread does so too.
// EXPECT race
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;  // race
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  MUST(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
