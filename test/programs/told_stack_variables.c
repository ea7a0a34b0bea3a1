// Variables in frames of functions that two lines called are two objects; those of one line are one.
// EXPECT race
// HAS reported 2 warnings
#include "order.h"
static int* shared;
static __attribute__((noinline)) void set(int* variable) {
  *variable = 1;  // race 2
  __asm__ volatile("");
}
static int step;
static void other(void) {
  const int now = __atomic_load_n(&step, __ATOMIC_RELAXED);
  await(now);
  set(__atomic_load_n(&shared, __ATOMIC_RELAXED));
  reach(now + 1);
}
static __attribute__((noinline)) void with_variable(int now) {
  int variable = 0;
  __atomic_store_n(&step, now, __ATOMIC_RELAXED);
  const pthread_t thread = start(other);
  __atomic_store_n(&shared, &variable, __ATOMIC_RELAXED);
  set(&variable);
  reach(now);
  await(now + 1);
  join(thread);
}
int main(void) {
  with_variable(1);
  for (int i = 3; i < 9; i += 2) with_variable(i);
}
