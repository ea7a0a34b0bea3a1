// A switch without synchronisation: fibers are threads of their own.
// EXPECT race
#include <ucontext.h>

#include "order.h"
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
int x;
static ucontext_t main_context, context;
static void *main_fiber, *fiber;
static char stack[1 << 16];
static void body(void) {
  x = 1;  // race
  __tsan_switch_to_fiber(main_fiber, 1);
  swapcontext(&context, &main_context);
}
int main(void) {
  main_fiber = __tsan_get_current_fiber();
  fiber = __tsan_create_fiber(0);
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  makecontext(&context, body, 0);
  __tsan_switch_to_fiber(fiber, 1);
  swapcontext(&main_context, &context);
  x = 2;  // race
}
