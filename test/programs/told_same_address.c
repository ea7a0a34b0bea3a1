// Two lines that race with a third at one address are two bugs.
// EXPECT race
// HAS reported 2 warnings
#include "order.h"
int x;
static void first(void) {
  USE(*(volatile int*)&x);  // race a
  reach(1);
}
static void second(void) {
  await(1);
  USE(*(volatile int*)&x);  // race b
  reach(2);
}
static void third(void) {
  await(2);
  x = 1;  // race a // race b
}
int main(void) { RUN(first, second, third); }
