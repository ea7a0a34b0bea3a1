// EXPECT none
#include <sys/socket.h>

#include "order.h"
int x, ends[2];
static void first(void) {
  x = 1;
  MUST(send(ends[1], "x", 1, 0) == 1);
}
static void second(void) {
  char byte;
  MUST(recv(ends[0], &byte, 1, 0) == 1);
  x = 2;
}
int main(void) {
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  RUN(first, second);
}
