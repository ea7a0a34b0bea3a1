// The lock of a stream is a lock.
// EXPECT race
#include <stdio.h>

#include "order.h"
static int x;
int y;  // the compiler must not see that nobody reads it
static void count(void) {
  for (int i = 0; i < 100; ++i) {
    flockfile(stdin);
    flockfile(stdin);
    ++x;
    funlockfile(stdin);
    ++x;
    funlockfile(stdin);
  }
  while (ftrylockfile(stdin) != 0) sched_yield();
  ++x;
  funlockfile(stdin);
}
static void first(void) {
  count();
  y = 1;  // race
  reach(1);
}
static void second(void) {
  count();
  await(1);
  y = 2;  // race
}
int main(void) { RUN(first, second); }
