// An access to a block that another thread has freed.
// EXPECT race
#include "order.h"
int* x;
static void first(void) {
  free(x);  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(x[1]);  // race
}
int main(void) {
  x = malloc(100);
  RUN(first, second);
}
