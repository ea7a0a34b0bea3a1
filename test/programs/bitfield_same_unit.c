// Bit-fields in one byte are one memory location.
// EXPECT race
#include "order.h"
struct {
  unsigned a : 3;
  unsigned b : 3;
} x;
static void first(void) {
  x.a = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x.b = 2;  // race
}
int main(void) { RUN(first, second); }
