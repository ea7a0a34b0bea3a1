// realloc reads the old block and frees it.
// EXPECT race
#include "order.h"
char* x;
static void first(void) {
  x[1] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(realloc(x, 100000));  // race
}
int main(void) {
  x = malloc(100);
  RUN(first, second);
}
