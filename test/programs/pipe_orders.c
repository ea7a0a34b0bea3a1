// What is written to a pipe is read later.
// EXPECT none
#include <unistd.h>

#include "order.h"
int x, ends[2];
static void first(void) {
  x = 1;
  MUST(write(ends[1], "x", 1) == 1);
}
static void second(void) {
  char byte;
  MUST(read(ends[0], &byte, 1) == 1);
  x = 2;
}
int main(void) {
  MUST(pipe(ends) == 0);
  RUN(first, second);
}
