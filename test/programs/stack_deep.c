// However deep a recursion is, a report asks only about the calls that it shows.
// EXPECT race
// OPTIONS external_symbolizer_path=@DIR@/symbols_counting_helper
// COMMAND rm -f asked; @PROGRAM@; s=$?; [ $(wc -c <asked) -lt 2000 ] && exit $s
// HAS ^    #255 answer_to_CODE
// HASNOT ^    #256
#include "order.h"
int x;
__attribute__((noinline)) static void deep(int calls) {
  if (calls > 0)
    deep(calls - 1);
  else
    x += 1;  // race
  __asm__ volatile("");
}
static void first(void) {
  deep(20000);
  reach(1);
}
static void second(void) {
  await(1);
  deep(20000);
}
int main(void) { RUN(first, second); }
