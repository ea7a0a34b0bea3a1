// Another pipe says nothing about this one.
// EXPECT race
#include <unistd.h>

#include "order.h"
int x, one[2], two[2];
static void first(void) {
  x = 1;  // race
  MUST(write(one[1], "x", 1) == 1);
  reach(1);
}
static void second(void) {
  char byte;
  await(1);
  MUST(write(two[1], "x", 1) == 1);
  MUST(read(two[0], &byte, 1) == 1);
  x = 2;  // race
}
int main(void) {
  MUST(pipe(one) == 0 && pipe(two) == 0);
  RUN(first, second);
}
