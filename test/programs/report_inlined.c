// Inlined functions are frames of their own.
// EXPECT race
// HAS #0 innermost .*report_inlined.c:9
// HAS #1 between .*report_inlined.c:11
// HAS #2 second .*report_inlined.c:18
#include "order.h"
int x;
__attribute__((always_inline)) static inline void innermost(void) {
  x = 2;  // race
}
__attribute__((always_inline)) static inline void between(void) { innermost(); }
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  between();
}
int main(void) { RUN(first, second); }
