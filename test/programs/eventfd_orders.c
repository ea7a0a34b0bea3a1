// A write to an eventfd is ordered before the read that takes it.
// EXPECT none
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"
int x, fd;
static void first(void) {
  x = 1;
  MUST(eventfd_write(fd, 1) == 0);
}
static void second(void) {
  eventfd_t value;
  MUST(eventfd_read(fd, &value) == 0);
  x = 2;
}
int main(void) {
  fd = eventfd(0, 0);
  RUN(first, second);
  close(fd);
}
