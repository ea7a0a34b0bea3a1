// Contexts that nobody told us of and that are left for good in the middle of their calls, or go on in another thread:
// one thread's calls seem to have no end then, and another's no begin, but the program runs as it should.
// EXPECT none
#include <ucontext.h>

#include "order.h"
static ucontext_t main_context, context;
static char stack[1 << 20];
static int calls, ended;
static __attribute__((noinline)) void deeper(int depth) {
  ++calls;
  if (depth > 0)
    deeper(depth - 1);
  else
    swapcontext(&context, &main_context);
  ++calls;
}
static void body(int depth) {
  deeper(depth);
  ++ended;
  swapcontext(&context, &main_context);
}
static void enter(int depth) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  makecontext(&context, (void (*)(void))body, 1, depth);
  swapcontext(&main_context, &context);
}
static void leaves(void) {
  for (int i = 0; i < 3000; ++i) enter(1000);
  MUST(calls == 3000 * 1001 && ended == 0);
}
static void begins(void) { enter(5000); }
static __attribute__((noinline)) int use(int depth) { return depth == 0 ? calls : use(depth - 1) + 1; }
static void goes_on(void) {
  swapcontext(&main_context, &context);
  MUST(ended == 1 && use(5000) == calls + 5000);
}
int main(void) {
  RUN(leaves);
  calls = 0;
  RUN(begins);
  RUN(goes_on);
  MUST(calls == 2 * 5001);
}
