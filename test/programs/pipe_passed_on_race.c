// What is read from a pipe that nothing was passed on to says nothing of another that something was.
// EXPECT race
#include <fcntl.h>
#include <unistd.h>

#include "order.h"
int x, from[2], to[2], other[2];
static void writes(void) {
  x = 1;  // race
  MUST(write(from[1], "a", 1) == 1);
  MUST(splice(from[0], NULL, to[1], NULL, 1, 0) == 1);
  reach(1);
}
static void reads(void) {
  await(1);
  char byte;
  MUST(read(other[0], &byte, 1) == 1);
  x = 2;  // race
}
int main(void) {
  MUST(pipe(from) == 0 && pipe(to) == 0 && pipe(other) == 0 && write(other[1], "b", 1) == 1);
  RUN(writes, reads);
}
