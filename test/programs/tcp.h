// TCP within one process, for the programs about it.
#ifndef DEADHEAT_TEST_TCP_H
#define DEADHEAT_TEST_TCP_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"

// A socket that listens at an address which the system chooses.
static inline int listening(struct sockaddr_in* address) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t length = sizeof *address;
  *address = (struct sockaddr_in){0};
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  MUST(bind(fd, (struct sockaddr*)address, sizeof *address) == 0);
  MUST(getsockname(fd, (struct sockaddr*)address, &length) == 0);
  MUST(listen(fd, 8) == 0);
  return fd;
}

#endif
