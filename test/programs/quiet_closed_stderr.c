// Nowhere to report to: the status still says it, and a file of the program that is given the number gets nothing.
// EXPECT none
// COMMAND exec @PROGRAM@ 2>&-
// EXIT 66
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) {
  const int own = memfd_create("own", 0);
  MUST(own == 2);
  RUN(first, second);
  MUST(lseek(own, 0, SEEK_END) == 0);
}
