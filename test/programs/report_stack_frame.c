// A variable on a stack is told by the function that has it, also where that one has called others.
// EXPECT race
// HAS Location is stack of thread T
// HAS #0 owner .*/report_stack_frame.c:20
// HAS #0 own .*/report_stack_frame.c:29
#include "order.h"
static int *shared, *shared_too;
static __attribute__((noinline)) void wait_for_others(void) {
  reach(1);
  await(2);
  __asm__ volatile("");
}
static void owner(void) {
  volatile int filler[20], local[3];
  filler[0] = 0;
  __atomic_store_n(&shared, (int*)&local[1], __ATOMIC_RELAXED);
  USE(filler[0]);
  __asm__ volatile("" : : "r"(local) : "memory");
  local[1] = 1;  // race a
  wait_for_others();
  reach(3);
  await(4);
}
static __attribute__((noinline)) void own(void) {
  volatile int local[3];
  __atomic_store_n(&shared_too, (int*)&local[1], __ATOMIC_RELAXED);
  reach(4);
  await(5);
  local[1] = 1;  // race b
}
int main(void) {
  const pthread_t one = start(owner);
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race a
  reach(2);
  await(3);
  const pthread_t two = start(own);
  await(4);
  *__atomic_load_n(&shared_too, __ATOMIC_RELAXED) = 2;  // race b
  reach(5);
  join(one);
  join(two);
}
