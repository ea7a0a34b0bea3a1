// A mapping where a large block was, which the C library has unmapped, is no part of that block.
// EXPECT race
// HASNOT heap block
#include <stdint.h>
#include <sys/mman.h>

#include "order.h"
static volatile int* x;
static void first(void) {
  x[0] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[0] = 2;  // race
}
static void before(void) {
  char* const block = malloc(400000);
  MUST(block != NULL);
  block[0] = 1;
  const uintptr_t middle = ((uintptr_t)block + 200000) & ~(uintptr_t)4095;
  free(block);
  x = mmap((void*)middle, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  MUST(x == (void*)middle);
}
static void third(void) {}
int main(void) {
  RUN(third, before);  // not alone, so that the block is known
  RUN(first, second);
}
