// A pair of sockets has two ways: what is sent from one end is not known to a thread that receives at the same end.
// EXPECT race
#include <sys/socket.h>

#include "order.h"
static int ends[2];
int x;
static void sender(void) {
  x = 1;  // race
  MUST(send(ends[0], "a", 1, 0) == 1);
  reach(1);
}
static void receiver(void) {
  await(1);
  char byte;
  MUST(recv(ends[0], &byte, 1, 0) == 1);
  x = 2;  // race
}
int main(void) {
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  MUST(send(ends[1], "b", 1, 0) == 1);
  RUN(sender, receiver);
}
