// An acquire that read the value before the release learns nothing.
// EXPECT race
#include "order.h"
int x, flag;
static void first(void) {
  await(1);
  x = 1;  // race
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  reach(2);
}
static void second(void) {
  MUST(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0);
  reach(1);
  await(2);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
