// A program that closes every descriptor there is, and is given their numbers again, keeps its reports, and nothing of
// ours is written to its own files. Before and after, new descriptors have the lowest free numbers.
// EXPECT race
// OPTIONS log_path=@TMP@/log
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"
int x, y;
static void first(void) {
  x = 1;  // race a
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race a
}
static void third(void) {
  y = 1;  // race b
  reach(2);
}
static void fourth(void) {
  await(2);
  y = 2;  // race b
}
static int lowest_free(void) {
  const int fd = open("/dev/null", O_RDONLY);
  MUST(fd >= 0 && close(fd) == 0);
  return fd;
}
int main(void) {
  const int lowest = lowest_free();
  RUN(first, second);
  MUST(lowest_free() == lowest);
  for (int fd = 3; fd < 1100; ++fd) close(fd);
  int ends[2];
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && ends[0] == 3 && ends[1] == 4);
  for (int fd = 5; fd < 1010; ++fd) MUST(dup2(ends[0], fd) == fd);
  RUN(third, fourth);
  char byte;
  MUST(recv(ends[1], &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
}
