// A releasing read-modify-write does not itself learn what was released.
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
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
