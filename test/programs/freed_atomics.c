// Atomic operations on freed memory, with one thread and with several.
// EXPECT race
// HAS Atomic write of size 4
// HAS Atomic read of size 8
// HASNOT race with free
#include "order.h"
static int* volatile x;
static long* volatile y;
static void first(void) {
  free(y);                                         // race c // race d
  USE(__atomic_load_n(&y[1], __ATOMIC_ACQUIRE));   // race c
  __atomic_fetch_add(&y[2], 1, __ATOMIC_RELAXED);  // race d
}
int main(void) {
  x = malloc(40);
  y = malloc(80);
  free(x);                                        // race a // race b
  USE(__atomic_load_n(&x[2], __ATOMIC_SEQ_CST));  // race a
  __atomic_store_n(&x[3], 1, __ATOMIC_RELEASE);   // race b
  RUN(first);
}
