// A block that is freed twice is for the C library to find out; we say nothing and do not fall over.
// EXPECT none
// EXIT 134
// HAS double free
#include "order.h"
static void* volatile x;
static void first(void) {
  x = malloc(2000);
  USE(malloc(10));
  void* volatile y = malloc(40);
  free(x);
  free(y);
  free(y);
}
int main(void) { RUN(first); }
