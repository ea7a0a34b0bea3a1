// What is done between the release fence and the store is not published.
// EXPECT race
#define ORDER_INVISIBLE
#include "order.h"
int x, flag;
static void first(void) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  x = 1;  // race
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  MUST(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 1);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
