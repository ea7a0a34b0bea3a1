// With io_sync=0 descriptors order nothing.
// EXPECT race
// OPTIONS io_sync=0
#include <unistd.h>

#include "order.h"
int x, fds[2];
static void first(void) {
  x = 1;  // race
  MUST(write(fds[1], "a", 1) == 1);
}
static void second(void) {
  char c;
  MUST(read(fds[0], &c, 1) == 1);
  x = 2;  // race
}
int main(void) {
  MUST(pipe(fds) == 0);
  RUN(first, second);
}
