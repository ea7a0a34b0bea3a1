// Two sequentially consistent fences order nothing by themselves.
// EXPECT race
#define ORDER_INVISIBLE
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  reach(1);
}
static void second(void) {
  await(1);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
