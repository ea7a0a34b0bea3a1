// An annotation on the flag itself, which is set and read by relaxed atomics.
// EXPECT none
#include "order.h"
void __tsan_acquire(void* object);
void __tsan_release(void* object);
int x, flag;
static void first(void) {
  x = 1;
  __tsan_release(&flag);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
}
static void second(void) {
  while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0) sched_yield();
  __tsan_acquire(&flag);
  x = 2;
}
int main(void) { RUN(first, second); }
