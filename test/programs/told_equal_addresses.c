// With suppress_equal_addresses one report speaks for its bytes, not for others, whatever address an access begins at.
// EXPECT race
// OPTIONS suppress_equal_addresses=1
// HAS reported 2 warnings
#include "order.h"
static union {
  long whole;
  char bytes[8];
} x;
static void first(void) {
  x.whole = 1;  // race a // race b
  reach(1);
}
static void second(void) {
  await(1);
  x.bytes[3] = 2;  // race a
  reach(2);
}
static void third(void) {
  await(2);
  USE(*(volatile char*)&x.bytes[3]);
  *(volatile char*)&x.bytes[0] = 3;  // race b
}
int main(void) { RUN(first, second, third); }
