// Reads do not race, atomic or not.
// EXPECT none
#include "order.h"
int x;
static void first(void) {
  USE(__atomic_load_n(&x, __ATOMIC_SEQ_CST));
  reach(1);
}
static void second(void) {
  await(1);
  USE(x);
}
int main(void) { RUN(first, second); }
