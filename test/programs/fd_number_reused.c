// A descriptor's number is given out again only after it was closed: servers keep what belongs to a connection by it.
// EXPECT none
#include <fcntl.h>
#include <unistd.h>

#include "order.h"
int fd, state;
static void closes(void) {
  state = 1;
  close(fd);
  reach(1);
}
static void opens(void) {
  await(1);
  MUST(open("/dev/null", O_RDONLY) == fd);
  state = 2;
}
int main(void) {
  fd = open("/dev/null", O_RDONLY);
  RUN(closes, opens);
}
