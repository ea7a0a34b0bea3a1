// Contexts that nobody told us of: stacks in reports may be wrong then, but the program runs as it should.
// EXPECT none
#include <ucontext.h>

#include "order.h"
static ucontext_t main_context, contexts[2];
static char stacks[2][1 << 16];
static int counts[2], turns;
static __attribute__((noinline)) void deeper(int me, int depth) {
  if (depth > 0) {
    deeper(me, depth - 1);
    ++counts[me];
    return;
  }
  ++turns;
  swapcontext(&contexts[me], turns % 3 == 0 ? &main_context : &contexts[1 - me]);
}
static void body(int me) {
  for (;;) deeper(me, 5 + me);
}
static void both(void) {
  for (int i = 0; i < 2; ++i) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&contexts[i], (void (*)(void))body, 1, i);
  }
  while (turns < 300000) swapcontext(&main_context, &contexts[turns % 2]);
  MUST(counts[0] > 700000 && counts[1] > 800000);
}
int main(void) { RUN(both); }
