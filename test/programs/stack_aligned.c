// Functions that align their frame for a variable's sake find it otherwise than by the return address.
// EXPECT race
// HAS Location is stack of main thread\.$
// HAS ^    Variable 'counter' of main, declared at .*/stack_aligned.c:[0-9]*$
// HAS ^    Variable 'called' of deep, declared at .*/stack_aligned.c:[0-9]*$
#include "order.h"
static int *shared, *shared_too;
static void child(void) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;      // race a
  *__atomic_load_n(&shared_too, __ATOMIC_RELAXED) = 1;  // race b
  reach(2);
}
static __attribute__((noinline)) void deep(void) {
  _Alignas(128) int called;
  __atomic_store_n(&shared_too, &called, __ATOMIC_RELAXED);
  called = 2;  // race b
  reach(1);
  await(2);
  USE(&called);
}
int main(void) {
  const pthread_t thread = start(child);
  char before[24];
  USE(before);
  _Alignas(64) int counter;
  __atomic_store_n(&shared, &counter, __ATOMIC_RELAXED);
  counter = 2;  // race a
  deep();
  join(thread);
  USE(&counter);
}
