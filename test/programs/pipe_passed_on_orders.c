// What is passed on from one pipe to another by tee and splice is known to readers of the other, also if it was
// written only when the thread that passes it on was waiting already.
// EXPECT none
#include <fcntl.h>
#include <unistd.h>

#include "order.h"
int x, y, from[2], copied[2], moved[2];
static void writes(void) {
  x = y = 1;
  MUST(write(from[1], "a", 1) == 1);
}
static void passes(void) {
  MUST(tee(from[0], copied[1], 1, 0) == 1);
  MUST(splice(from[0], NULL, moved[1], NULL, 1, 0) == 1);
}
static void reads_copy(void) {
  char byte;
  MUST(read(copied[0], &byte, 1) == 1);
  x = 2;
}
static void reads_moved(void) {
  char byte;
  MUST(read(moved[0], &byte, 1) == 1);
  y = 2;
}
int main(void) {
  MUST(pipe(from) == 0 && pipe(copied) == 0 && pipe(moved) == 0);
  RUN(passes, reads_copy, reads_moved, writes);
}
