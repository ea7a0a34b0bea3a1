// A second fiber of the main thread, for the programs about them.
#ifndef DEADHEAT_TEST_FIBER_H
#define DEADHEAT_TEST_FIBER_H

#include <ucontext.h>

#include "order.h"

void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

static ucontext_t main_context, context;
static void *main_fiber, *fiber;
static char fiber_stack[1 << 16];

// The fiber will run the function when it is first switched to.
static inline void make_fiber(Body body) {
  main_fiber = __tsan_get_current_fiber();
  fiber = __tsan_create_fiber(0);
  getcontext(&context);
  context.uc_stack.ss_sp = fiber_stack;
  context.uc_stack.ss_size = sizeof fiber_stack;
  makecontext(&context, body, 0);
}
static inline void switch_to_fiber(unsigned flags) {
  __tsan_switch_to_fiber(fiber, flags);
  swapcontext(&main_context, &context);
}
static inline void switch_to_main(unsigned flags) {
  __tsan_switch_to_fiber(main_fiber, flags);
  swapcontext(&context, &main_context);
}

#endif
