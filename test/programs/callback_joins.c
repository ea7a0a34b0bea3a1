// What is called back from a report may wait for a thread that reports.
// EXPECT race
// HAS two callbacks
#include <stdio.h>

#include "order.h"
int x, y;
static int callbacks;
static pthread_t other;
static void other_first(void) {
  y = 1;  // race b
  reach(2);
}
static void other_second(void) {
  await(2);
  y = 2;  // race b
}
void __tsan_on_report(void* report) {
  (void)report;
  if (__atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED) == 0) {
    other = start(other_first);
    join(start(other_second));
    join(other);
  }
}
static void first(void) {
  x = 1;  // race a
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race a
}
int main(void) {
  RUN(first, second);
  if (__atomic_load_n(&callbacks, __ATOMIC_RELAXED) == 2) fprintf(stderr, "two callbacks\n");
}
