// EXPECT none
#include "order.h"
int x, flag;
static void first(void) {
  x = 1;
  __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
}
static void second(void) {
  while (__atomic_load_n(&flag, __ATOMIC_SEQ_CST) == 0) sched_yield();
  USE(x);
}
int main(void) { RUN(first, second); }
