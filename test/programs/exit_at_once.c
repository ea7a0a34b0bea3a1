// The status tells of races also where the program ends without its functions for exit.
// EXPECT race
// HAS reported 1 warnings
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) {
  RUN(first, second);
  _exit(0);
}
