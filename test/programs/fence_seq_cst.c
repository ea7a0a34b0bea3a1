// EXPECT none
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
}
static void second(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  USE(x);
}
int main(void) { RUN(first, second); }
