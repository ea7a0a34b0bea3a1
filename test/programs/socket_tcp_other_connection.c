// TCP within one process: what is sent on one connection is not known to a receiver on another.
// EXPECT race
#include "tcp.h"
static int one[2], two[2];
int x;
static void connect_both(int ends[2]) {
  struct sockaddr_in address;
  const int listener = listening(&address);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  MUST(connect(ends[0], (struct sockaddr*)&address, sizeof address) == 0);
  ends[1] = accept(listener, 0, 0);
  MUST(ends[1] >= 0);
  close(listener);
}
static void sender(void) {
  x = 1;  // race
  MUST(send(one[0], "a", 1, 0) == 1);
  reach(1);
}
static void receiver(void) {
  await(1);
  char byte;
  MUST(recv(two[1], &byte, 1, 0) == 1);
  x = 2;  // race
}
int main(void) {
  connect_both(one);
  connect_both(two);
  MUST(send(two[0], "b", 1, 0) == 1);
  RUN(sender, receiver);
}
