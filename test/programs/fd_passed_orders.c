// A descriptor that came in a message leads to the pipe that it led to where it was sent, and closed.
// EXPECT none
#include "passing.h"
int x, over[2], ends[2];
static void first(void) {
  send_descriptor(over[0], ends[0]);
  close(ends[0]);
  await(1);
  x = 1;
  MUST(write(ends[1], "b", 1) == 1);
}
static void second(void) {
  const int fd = receive_descriptor(over[1]);
  reach(1);
  char byte;
  MUST(read(fd, &byte, 1) == 1);
  x = 2;
}
int main(void) {
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0 && pipe(ends) == 0);
  RUN(first, second);
}
