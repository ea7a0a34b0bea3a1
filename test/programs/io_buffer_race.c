// write() reads the buffer of the caller.
// EXPECT race
#include <unistd.h>

#include "order.h"
char buffer[16];
int fds[2];
static void first(void) {
  MUST(write(fds[1], buffer, sizeof buffer) == sizeof buffer);  // race
  reach(1);
}
static void second(void) {
  await(1);
  buffer[15] = 1;  // race
}
int main(void) {
  MUST(pipe(fds) == 0);
  RUN(first, second);
}
