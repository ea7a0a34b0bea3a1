// read() and readv() write the buffers of the caller, as far as they were filled.
// EXPECT race
#include <sys/uio.h>
#include <unistd.h>

#include "order.h"
char buffer[16], parts[2][8];
int fds[2], more[2];
static void first(void) {
  MUST(read(fds[0], buffer, sizeof buffer) == 4);  // race a
  const struct iovec vector[] = {{parts[0], 8}, {parts[1], 8}};
  MUST(readv(more[0], vector, 2) == 12);  // race b
  reach(1);
}
static void second(void) {
  await(1);
  buffer[3] = 1;  // race a
  buffer[4] = 1;
  parts[1][3] = 1;  // race b
  parts[1][4] = 1;
}
int main(void) {
  MUST(pipe(fds) == 0 && pipe(more) == 0);
  MUST(write(fds[1], "abcd", 4) == 4 && write(more[1], "abcdefghijkl", 12) == 12);
  RUN(first, second);
}
