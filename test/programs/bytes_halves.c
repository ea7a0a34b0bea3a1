// Two halves of an int.
// EXPECT none
#include "order.h"
union {
  int word;
  short halves[2];
} x;
static void first(void) {
  x.halves[0] = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x.halves[1] = 2;
}
int main(void) { RUN(first, second); }
