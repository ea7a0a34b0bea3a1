// x += 1 reads and writes; one bug is one report, however often it happens.
// EXPECT race
// HAS reported 1 warning
#include "order.h"
int x;
static void increment(void) { x += 1; }  // race
static void first(void) {
  for (int i = 0; i < 100; ++i) increment();
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 0; i < 100; ++i) increment();
}
int main(void) { RUN(first, second); }
