// A write of one byte races with the read of the word that came before.
// EXPECT race
#include "order.h"
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  USE(*(volatile int*)&x.whole);  // race
  reach(1);
}
static void second(void) {
  await(1);
  *(volatile char*)&x.bytes[2] = 1;  // race
}
int main(void) { RUN(first, second); }
