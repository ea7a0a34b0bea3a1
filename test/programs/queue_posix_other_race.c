// A message of one POSIX queue says nothing of senders to another.
// EXPECT race
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"
int x;
static mqd_t one, two;
static mqd_t opened(int number) {
  char name[40];
  snprintf(name, sizeof name, "/deadheat.%d.%d", (int)getpid(), number);
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 16};
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  MUST(queue >= 0 && mq_unlink(name) == 0);
  return queue;
}
static void sends(void) {
  x = 1;  // race
  MUST(mq_send(one, "a", 1, 0) == 0);
  reach(1);
}
static void receives(void) {
  char data[16];
  await(1);
  MUST(mq_receive(two, data, sizeof data, NULL) == 1);
  x = 2;  // race
}
int main(void) {
  one = opened(1);
  two = opened(2);
  MUST(mq_send(two, "b", 1, 0) == 0);
  RUN(sends, receives);
}
