// What a thread did before connect and before sending is known to the thread that accepts and receives.
// EXPECT none
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "order.h"
int x, y, listener;
static struct sockaddr_un address = {AF_UNIX, ""};
static socklen_t length = sizeof(sa_family_t) + 6;  // an abstract name that the system chooses
static void first(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  x = 1;
  MUST(connect(fd, (struct sockaddr*)&address, length) == 0);
  y = 1;
  struct iovec part = {"a", 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  MUST(sendmsg(fd, &message, 0) == 1);
}
static void second(void) {
  int fd = accept(listener, NULL, NULL);
  MUST(fd >= 0);
  x = 2;
  char c;
  struct iovec part = {&c, 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  MUST(recvmsg(fd, &message, 0) == 1);
  y = 2;
}
int main(void) {
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  MUST(bind(listener, (struct sockaddr*)&address, sizeof(sa_family_t)) == 0);
  MUST(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  MUST(listen(listener, 1) == 0);
  RUN(first, second);
}
