// EXPECT race
// HAS Location is global '(table|table\[.*)' of size 80 at 0x.*, 56 bytes into it
#include "order.h"
long table[10];
static void first(void) {
  table[7] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  table[7] = 2;  // race
}
int main(void) { RUN(first, second); }
