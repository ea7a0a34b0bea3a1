// A volatile access is a plain access.
// EXPECT race
#include "order.h"
volatile int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(x);  // race
}
int main(void) { RUN(first, second); }
