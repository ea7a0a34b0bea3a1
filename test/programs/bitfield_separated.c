// A bit-field of width zero begins a new memory location.
// EXPECT none
#include "order.h"
struct {
  unsigned a : 3;
  unsigned : 0;
  unsigned b : 3;
} x;
static void first(void) {
  x.a = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x.b = 2;
}
int main(void) { RUN(first, second); }
