// While a thread runs a fiber its own functions wait, and nothing is said about whose a variable on its stack is; a
// fiber's stack is a block of the heap.
// EXPECT race
// HAS Location is stack of main thread\.$
// HAS Location is heap block of size
// HASNOT Variable
#include <ucontext.h>

#include "order.h"
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
static int *shared, *shared_fiber;
static ucontext_t main_context, fiber_context;
static void *main_fiber, *fiber;
static void* child(void* nothing) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;        // race a
  *__atomic_load_n(&shared_fiber, __ATOMIC_RELAXED) = 1;  // race b
  reach(2);
  return nothing;
}
static void run_fiber(void) {
  int on_fiber;
  __atomic_store_n(&shared_fiber, &on_fiber, __ATOMIC_RELAXED);
  on_fiber = 2;  // race b
  reach(1);
  await(2);
  USE(&on_fiber);
  __tsan_switch_to_fiber(main_fiber, 0);
  swapcontext(&fiber_context, &main_context);
}
int main(void) {
  int of_main;
  __atomic_store_n(&shared, &of_main, __ATOMIC_RELAXED);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, child, NULL) == 0);
  of_main = 2;  // race a
  main_fiber = __tsan_get_current_fiber();
  fiber = __tsan_create_fiber(0);
  MUST(getcontext(&fiber_context) == 0);
  fiber_context.uc_stack.ss_size = 1 << 18;
  fiber_context.uc_stack.ss_sp = malloc(1 << 18);
  makecontext(&fiber_context, run_fiber, 0);
  __tsan_switch_to_fiber(fiber, 0);
  MUST(swapcontext(&main_context, &fiber_context) == 0);
  join(thread);
  USE(&of_main);
}
