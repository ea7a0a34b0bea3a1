// An acquire fence before the load does not help it.
// EXPECT race
#define ORDER_INVISIBLE
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;  // race
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  MUST(__atomic_load_n(&flag, __ATOMIC_RELAXED) == 1);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
