// Two threads write the same eight bytes, byte by byte.
// EXPECT race
#include "order.h"
_Alignas(8) volatile char x[8];
static void write_all(void) {
  for (int i = 0; i < 8; ++i) x[i] = 1;  // race
}
static void first(void) {
  write_all();
  reach(1);
}
static void second(void) {
  await(1);
  write_all();
}
int main(void) { RUN(first, second); }
