// With suppress_equal_addresses one report speaks for its bytes, not for others, whatever address an access begins at.
// EXPECT race
// OPTIONS suppress_equal_addresses=1
// HAS reported 2 warnings
#include <string.h>

#include "order.h"
static volatile char x[64];
static volatile size_t bytes = sizeof x;
static void first(void) {
  x[3] = 1;  // race a
  x[5] = 1;  // race b
  reach(1);
}
static void second(void) {
  await(1);
  memset((void*)x, 2, bytes);  // race a // race b
  reach(2);
}
static void third(void) {
  await(2);
  x[3] = 3;
  USE(x[5]);
}
int main(void) { RUN(first, second, third); }
