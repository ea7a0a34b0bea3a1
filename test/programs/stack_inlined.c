// A variable of a function that the compiler has put into its caller is still of that function; the caller's own is the
// caller's, also while the inlined function runs.
// EXPECT race
// LEVELS 2 3
// HAS ^    Variable 'inlined' of work, declared at .*/stack_inlined.c:19$
// HAS ^    Variable 'outer' of main, declared at .*/stack_inlined.c:32$
// HAS #0 work .*/stack_inlined.c:
// HAS #1 main .*/stack_inlined.c:
// HAS #0 main .*/stack_inlined.c:
#include "order.h"
static int *shared, *shared_outer;
static void child(void) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;        // race a
  *__atomic_load_n(&shared_outer, __ATOMIC_RELAXED) = 1;  // race b
  reach(2);
}
static inline __attribute__((always_inline)) void work(void) {
  int inlined;
  __atomic_store_n(&shared, &inlined, __ATOMIC_RELAXED);
  inlined = 2;  // race a
  reach(1);
  await(2);
  USE(&inlined);
}
// In a frame of its own: what is inlined here may have had the place of a variable that comes later.
static __attribute__((noinline)) pthread_t begin(void) { return start(child); }
int main(void) {
  const pthread_t thread = begin();
  char before[24];
  USE(before);
  int outer;
  __atomic_store_n(&shared_outer, &outer, __ATOMIC_RELAXED);
  outer = 2;  // race b
  work();
  join(thread);
  USE(&outer);
}
