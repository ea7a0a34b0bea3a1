// A suppression hides the race of one caller. The same two lines by way of another caller are told.
// EXPECT race
// OPTIONS suppressions=@DIR@/told_suppressed_hides_nothing.txt
// HAS #[0-9]+ told
// HAS reported 1 warning
#include "order.h"
int x;
static __attribute__((noinline)) void set(void) {
  x = 1;  // race
  __asm__ volatile("");
}
static __attribute__((noinline)) void hidden(void) {
  set();
  __asm__ volatile("");
}
static __attribute__((noinline)) void told(void) {
  set();
  __asm__ volatile("# told");
}
static void first(void) {
  hidden();
  reach(1);
}
static void second(void) {
  await(1);
  told();
  reach(2);
}
static void third(void) {
  await(2);
  told();
}
int main(void) { RUN(first, second, third); }
