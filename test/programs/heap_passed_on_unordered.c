// One thread allocates and writes, another reads what it was given without any order.
// EXPECT race
#include "order.h"
int* x;
static void first(void) {
  int* block = malloc(8);
  block[1] = 1;  // race
  __atomic_store_n(&x, block, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  USE(__atomic_load_n(&x, __ATOMIC_RELAXED)[1]);  // race
}
int main(void) { RUN(first, second); }
