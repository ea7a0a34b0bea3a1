// An access that is not ordered before the free of its block.
// EXPECT race
#include "order.h"
int* x;
static void first(void) {
  x[1] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  free(x);  // race
}
int main(void) {
  x = malloc(100);
  RUN(first, second);
}
