// A range that was unmapped and mapped again has no history.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
int* x;
static void first(void) {
  x[10] = 1;
  munmap(x, 4096);
  MUST(mmap(x, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == x);
  reach(1);
}
static void second(void) {
  await(1);
  x[10] = 2;
}
int main(void) {
  x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(x != MAP_FAILED);
  RUN(first, second);
}
