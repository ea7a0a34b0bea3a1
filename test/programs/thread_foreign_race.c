// A thread that the C library makes by itself races with the only thread that there was.
// EXPECT race
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "order.h"
int x, y;
_Atomic int z;
static void completed(union sigval of) {
  (void)of;
  reach(1);
  await(2);
  x = 1;          // race a
  USE(y);         // race b
  *(int*)&z = 1;  // race c
  reach(3);
}
int main(void) {
  char byte = 0;
  struct aiocb request = {.aio_fildes = open("/dev/null", O_WRONLY), .aio_buf = &byte, .aio_nbytes = 1};
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = completed;
  MUST(aio_write(&request) == 0);
  await(1);
  x = 2;  // race a
  y = 2;  // race b
  z = 2;  // race c
  reach(2);
  await(3);
}
