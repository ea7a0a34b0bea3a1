// A descriptor that came in a message is not taken for another that was sent, too.
// EXPECT race
#include "passing.h"
int x, over[2], one[2], two[2];
static void first(void) {
  send_descriptor(over[0], one[0]);
  send_descriptor(over[0], two[0]);
  await(1);
  x = 1;  // race
  MUST(write(one[1], "b", 1) == 1);
  reach(2);
}
static void second(void) {
  receive_descriptor(over[1]);
  const int fd = receive_descriptor(over[1]);
  reach(1);
  await(2);
  char byte;
  MUST(read(fd, &byte, 1) == 1);
  x = 2;  // race
}
int main(void) {
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0 && pipe(one) == 0 && pipe(two) == 0);
  MUST(write(two[1], "b", 1) == 1);
  RUN(first, second);
}
