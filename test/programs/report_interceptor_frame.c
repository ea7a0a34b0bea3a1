// An access by a function of the C library shows that function first, then its caller.
// EXPECT race
// HAS #0 memcpy
// HAS #1 second .*report_interceptor_frame.c:18
// HAS Location is heap block of size 40
// HAS #0 malloc
#include <string.h>

#include "order.h"
static char* x;
static volatile size_t bytes = 20;
static void first(void) {
  x[3] = 1;  // race
  reach(1);
}
static void second(void) {
  char copy[40];
  await(1), memcpy(copy, x, bytes);  // race
  USE(copy);
}
int main(void) {
  x = malloc(40);
  RUN(first, second);
}
