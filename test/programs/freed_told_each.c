// Freed memory stays freed until it is handed out again: each line that uses the same word is told, in a loop once.
// EXPECT race
// HASNOT race with free
// OPTIONS suppress_equal_addresses=0
#include "order.h"
int* volatile x;
static void first(void) {
  free(x);                                            // race a // race b // race c
  x[4] = 1;                                           // race a
  USE(x[4]);                                          // race b
  for (int i = 0; i < 100000; ++i) x[4 + i % 6] = i;  // race c
}
int main(void) {
  x = malloc(40);
  RUN(first);
}
