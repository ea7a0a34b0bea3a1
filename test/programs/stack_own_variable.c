// The thread that finds the race owns the variable: it is of the function that makes the access, or of one further out.
// EXPECT race
// HAS ^    Variable 'own' of deep, declared at .*/stack_own_variable.c:17$
// HAS ^    Variable 'further_out' of main, declared at .*/stack_own_variable.c:26$
// HAS Location is stack of main thread\.$
#include "order.h"
static int *shared_own, *shared_out;
static void* child(void* nothing) {
  await(1);
  *__atomic_load_n(&shared_own, __ATOMIC_RELAXED) = 1;  // race a
  *__atomic_load_n(&shared_out, __ATOMIC_RELAXED) = 1;  // race b
  reach(2);
  await(3);
  return nothing;
}
static __attribute__((noinline)) void deep(int* out) {
  int own;
  __atomic_store_n(&shared_own, &own, __ATOMIC_RELAXED);
  reach(1);
  await(2);
  own = 2;   // race a
  *out = 2;  // race b
  USE(&own);
}
int main(void) {
  int further_out;
  __atomic_store_n(&shared_out, &further_out, __ATOMIC_RELAXED);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, child, NULL) == 0);
  deep(&further_out);
  reach(3);
  join(thread);
  USE(&further_out);
}
