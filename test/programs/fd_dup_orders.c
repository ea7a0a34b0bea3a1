// A duplicate leads to the same pipe.
// EXPECT none
#include <unistd.h>

#include "order.h"
int x, fds[2], copy;
static void first(void) {
  x = 1;
  MUST(write(copy, "a", 1) == 1);
}
static void second(void) {
  char c;
  MUST(read(fds[0], &c, 1) == 1);
  x = 2;
}
int main(void) {
  MUST(pipe(fds) == 0);
  copy = dup(fds[1]);
  close(fds[1]);
  RUN(first, second);
}
