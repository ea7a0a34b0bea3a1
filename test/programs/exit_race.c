// A thread that goes on while the program exits is watched until the end: here it races with a function run at exit.
// EXPECT race
#include "order.h"
int x;
static void busy(void) {
  await(1);
  x = 2;  // race
  reach(2);
  for (;;) sched_yield();
}
static void at_end(void) {
  x = 1;  // race
  reach(1);
  await(2);
}
int main(void) {
  atexit(at_end);
  start(busy);
  exit(0);
}
