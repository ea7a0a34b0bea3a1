// Reads do not race with each other.
// EXPECT none
#include "order.h"
int x = 3;
static void first(void) {
  USE(x);
  reach(1);
}
static void second(void) {
  await(1);
  USE(x);
}
int main(void) { RUN(first, second); }
