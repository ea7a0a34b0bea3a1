// A descriptor is closed by a thread that was told that it is no longer used; its number may be used again.
// EXPECT none
#include <unistd.h>

#include "order.h"
int data[2], told[2];
static void first(void) {
  MUST(write(data[1], "a", 1) == 1);
  MUST(write(told[1], "a", 1) == 1);
}
static void second(void) {
  char c;
  MUST(read(told[0], &c, 1) == 1);
  close(data[1]);
  int again[2];
  MUST(pipe(again) == 0);
  MUST(write(again[1], "a", 1) == 1);
}
int main(void) {
  MUST(pipe(data) == 0 && pipe(told) == 0);
  RUN(first, second);
}
