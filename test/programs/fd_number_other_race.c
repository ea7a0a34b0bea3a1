// Closing a descriptor orders nothing for a thread that gets another number.
// EXPECT race
#include <fcntl.h>
#include <unistd.h>

#include "order.h"
int fd, state;
static void closes(void) {
  state = 1;  // race
  close(fd);
  reach(1);
}
static void opens(void) {
  await(1);
  MUST(fcntl(0, F_DUPFD, fd + 1) > fd);
  state = 2;  // race
}
int main(void) {
  fd = open("/dev/null", O_RDONLY);
  RUN(closes, opens);
}
