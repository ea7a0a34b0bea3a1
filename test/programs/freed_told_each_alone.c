// The same in a program with one thread.
// EXPECT race
// HASNOT race with free
// OPTIONS suppress_equal_addresses=0
#include "order.h"
int* volatile x;
int main(void) {
  x = malloc(40);
  free(x);                                            // race a // race b // race c
  x[4] = 1;                                           // race a
  USE(x[4]);                                          // race b
  for (int i = 0; i < 100000; ++i) x[4 + i % 6] = i;  // race c
}
