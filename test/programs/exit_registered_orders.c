// A function run at exit knows what a thread did before it registered it, though nobody joined that thread.
// EXPECT none
#include "order.h"
int x;
static void at_end(void) { x = 2; }
static void registers(void) {
  x = 1;
  atexit(at_end);
  reach(1);
}
int main(void) {
  pthread_detach(start(registers));
  await(1);
  exit(0);
}
