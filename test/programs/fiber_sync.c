// A switch between fibers orders what was done before it.
// EXPECT none
#include <ucontext.h>

#include "order.h"
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
int x;
static ucontext_t main_context, context;
static void *main_fiber, *fiber;
static char stack[1 << 16];
static void body(void) {
  for (;;) {
    ++x;
    __tsan_switch_to_fiber(main_fiber, 0);
    swapcontext(&context, &main_context);
  }
}
int main(void) {
  main_fiber = __tsan_get_current_fiber();
  fiber = __tsan_create_fiber(0);
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  makecontext(&context, body, 0);
  for (int i = 0; i < 100; ++i) {
    ++x;
    __tsan_switch_to_fiber(fiber, 0);
    swapcontext(&main_context, &context);
  }
  MUST(x == 200);
  __tsan_destroy_fiber(fiber);
}
