// After a longjmp the stacks of reports are those of where it went.
// EXPECT race
// HAS #0 jumps
// HAS #1 second
// HASNOT #[0-9]+ deep
#include <setjmp.h>

#include "order.h"
int x, depth;
static jmp_buf back;
__attribute__((noinline)) static void deep(int levels) {
  depth = levels;
  if (levels == 0) longjmp(back, 1);
  if (levels > 0) deep(levels - 1);
  __asm__ volatile("");
}
static void first(void) {
  x = 1;  // race
  reach(1);
}
__attribute__((noinline)) static void jumps(void) {
  if (setjmp(back) == 0) {
    deep(20);
    abort();
  }
  x = 2;  // race
}
static void second(void) {
  await(1);
  jumps();
  __asm__ volatile("");
}
int main(void) { RUN(first, second); }
