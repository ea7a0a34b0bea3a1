// Many longjmps out of deep calls: frames do not pile up.
// EXPECT none
#include <setjmp.h>

#include "order.h"
static int depth;
static jmp_buf back;
__attribute__((noinline)) static void deep(int levels) {
  depth = levels;
  if (levels == 0) longjmp(back, 1);
  if (levels > 0) deep(levels - 1);
  __asm__ volatile("");
}
static void jumper(void) {
  for (volatile int i = 0; i < 100000; ++i)
    if (setjmp(back) == 0) deep(50);
}
int main(void) {
  RUN(jumper);
  return depth;
}
