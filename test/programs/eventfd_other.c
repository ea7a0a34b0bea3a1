// A write to one event counter is not known to readers of another.
// EXPECT race
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"
int x;
static int one, two;
static void first(void) {
  x = 1;  // race
  MUST(eventfd_write(one, 1) == 0);
  reach(1);
}
static void second(void) {
  await(1);
  eventfd_t value;
  MUST(eventfd_read(two, &value) == 0);
  x = 2;  // race
}
int main(void) {
  one = eventfd(0, 0);
  two = eventfd(1, 0);
  RUN(first, second);
}
