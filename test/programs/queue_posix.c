// A message of a POSIX queue is received after what was done before it was sent.
// EXPECT none
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"
int x;
static mqd_t queue;
static void sends(void) {
  x = 1;
  MUST(mq_send(queue, "a", 1, 0) == 0);
}
static void receives(void) {
  char data[16];
  unsigned priority;
  MUST(mq_receive(queue, data, sizeof data, &priority) == 1);
  x = 2;
}
int main(void) {
  char name[40];
  snprintf(name, sizeof name, "/deadheat.%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 16};
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  MUST(queue >= 0 && mq_unlink(name) == 0);
  RUN(sends, receives);
  MUST(mq_close(queue) == 0);
}
