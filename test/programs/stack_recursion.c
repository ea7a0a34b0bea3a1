// Of a function that has called itself there are several frames; the variable is the one that is meant.
// EXPECT race
// HAS ^    Variable 'small' of go_down, declared at .*/stack_recursion.c:[0-9]*$
// HAS ^    Variable 'large\[2\]' of go_down, declared at .*/stack_recursion.c:[0-9]* \(bytes 8 to 11 of 40\)$
#include "order.h"
static int *shared, *shared_too;
static __attribute__((noinline)) void go_down(int depth) {
  int small, large[10];
  if (depth == 2) {
    __atomic_store_n(&shared, &small, __ATOMIC_RELAXED);
    small = 1;  // race a
  }
  if (depth == 5) {
    __atomic_store_n(&shared_too, &large[2], __ATOMIC_RELAXED);
    *__atomic_load_n(&shared_too, __ATOMIC_RELAXED) = 1;  // race b
  }
  if (depth == 8) {
    reach(1);
    await(2);
  } else {
    go_down(depth + 1);
  }
  USE(&small);
  USE(large);
}
static void owner(void) { go_down(0); }
int main(void) {
  const pthread_t thread = start(owner);
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;      // race a
  *__atomic_load_n(&shared_too, __ATOMIC_RELAXED) = 2;  // race b
  reach(2);
  join(thread);
}
