// All of a large block is freed, whether it was ever touched or not.
// EXPECT race
// HASNOT race with free
#include <malloc.h>

#include "order.h"
static char* volatile x;
static void first(void) {
  for (int i = 0; i < 50000; ++i) x[i] = 1;
  free(x);        // race a // race b // race c
  x[3000] = 1;    // race a
  USE(x[49999]);  // race b
  x[99000] = 1;   // race c
}
int main(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  x = malloc(100000);
  USE(malloc(100));  // the end of the heap stays where it is
  RUN(first);
}
