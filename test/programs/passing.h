// Descriptors in messages, for the programs about them.
#ifndef DEADHEAT_TEST_PASSING_H
#define DEADHEAT_TEST_PASSING_H

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"

typedef union {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr aligned;
} Control;

static inline void send_descriptor(int over, int fd) {
  Control control = {{0}};
  struct iovec part = {"a", 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  struct cmsghdr* const item = CMSG_FIRSTHDR(&message);
  item->cmsg_level = SOL_SOCKET;
  item->cmsg_type = SCM_RIGHTS;
  item->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(item), &fd, sizeof fd);
  MUST(sendmsg(over, &message, 0) == 1);
}
static inline int receive_descriptor(int over) {
  Control control;
  char byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  MUST(recvmsg(over, &message, 0) == 1);
  int fd;
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

#endif
