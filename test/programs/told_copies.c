// Two lines that copy racing data are two bugs: where the program called memcpy counts, not that it was memcpy.
// EXPECT race
// HAS reported 2 warnings
#include <string.h>

#include "order.h"
static char x[128], copy[128];
static volatile size_t half = 64;
static void first(void) {
  memset(x, 1, 2 * half);  // race a // race b
  reach(1);
}
static void second(void) {
  await(1);
  memcpy(copy, x, half);            // race a
  memcpy(copy + 64, x + 64, half);  // race b
}
int main(void) {
  RUN(first, second);
  USE(copy[0]);
}
