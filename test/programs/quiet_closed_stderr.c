// Nowhere to report to: the status still says it, and a file of the program that is given the number gets nothing.
// EXPECT none
// COMMAND exec @PROGRAM@ 2>&-
// EXIT 66
#include <sys/mman.h>
#include <unistd.h>

#include "race.h"
int main(void) {
  const int own = memfd_create("own", 0);
  MUST(own == 2);
  race();
  MUST(lseek(own, 0, SEEK_END) == 0);
}
