// A release fence without an acquire.
// EXPECT race
#define ORDER_INVISIBLE
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;  // race
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
}
static void second(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  USE(x);  // race
}
int main(void) { RUN(first, second); }
