// Two atomic writes; the plain read is ordered after the second only, and races with the first.
// EXPECT race
#include "order.h"
int x, flag;
static void first(void) {
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);  // race
  reach(1);
}
static void third(void) {
  await(1);
  __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
}
static void second(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) sched_yield();
  USE(x);  // race
}
int main(void) { RUN(first, second, third); }
