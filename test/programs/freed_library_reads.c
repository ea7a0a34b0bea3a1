// Functions of the C library that read or write freed memory for their caller.
// EXPECT race
// HASNOT race with free
// FLAGS -fno-builtin
// OPTIONS suppress_equal_addresses=0
#include <string.h>

#include "order.h"
static char* volatile x;
static volatile size_t n;
static void first(void) {
  char to[64];
  free(x);                 // race a // race b // race c
  memcpy(to, x + 16, 40);  // race a
  USE(to);
  n = strlen(x + 16);    // race b
  memset(x + 16, 1, 8);  // race c
}
int main(void) {
  x = malloc(64);
  memset(x, 'a', 63);
  x[63] = 0;
  RUN(first);
}
