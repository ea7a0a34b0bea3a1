// TCP within one process: connecting, sending and answering order threads, also when a sender closes before an accept.
// EXPECT none
#include <sys/epoll.h>

#include "tcp.h"
static struct sockaddr_in address;
static int listener;
int before, request, answer, late;
static void client(void) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  before = 1;
  MUST(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  request = 1;
  char byte = 1;
  MUST(send(fd, &byte, 1, 0) == 1);
  MUST(recv(fd, &byte, 1, 0) == 1);
  USE(answer);
  close(fd);
  const int second = socket(AF_INET, SOCK_STREAM, 0);
  MUST(connect(second, (struct sockaddr*)&address, sizeof address) == 0);
  late = 1;
  MUST(write(second, &byte, 1) == 1);
  close(second);
  reach(1);
}
static void server(void) {
  const int epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0);
  MUST(epoll_wait(epoll, &event, 1, -1) == 1);
  const int fd = accept(listener, 0, 0);
  MUST(fd >= 0);
  USE(before);
  event.events = EPOLLIN;
  MUST(epoll_ctl(epoll, EPOLL_CTL_MOD, listener, &(struct epoll_event){0}) == 0);
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
  MUST(epoll_wait(epoll, &event, 1, -1) == 1);
  USE(request);
  char byte;
  MUST(recv(fd, &byte, 1, 0) == 1);
  answer = 1;
  MUST(send(fd, &byte, 1, 0) == 1);
  await(1);
  const int second = accept(listener, 0, 0);
  MUST(read(second, &byte, 1) == 1);
  USE(late);
}
int main(void) {
  listener = listening(&address);
  RUN(client, server);
}
