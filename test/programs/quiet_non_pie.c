// EXPECT race
// FLAGS -no-pie -fno-pie
#include "order.h"
int x, *y;
static void first(void) {
  x = 1;   // race a
  *y = 1;  // race b
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;   // race a
  *y = 2;  // race b
}
int main(void) {
  y = malloc(sizeof *y);
  RUN(first, second);
}
