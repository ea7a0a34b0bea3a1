// Memory that moved keeps its history: a race across the move is found at the new place.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
char* x;
static void first(void) {
  x[10] = 1;  // race
  char* target = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* moved = mremap(x, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, target);
  MUST(moved == target);
  __atomic_store_n(&x, moved, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  __atomic_load_n(&x, __ATOMIC_RELAXED)[10] = 2;  // race
}
int main(void) {
  x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(x != MAP_FAILED);
  RUN(first, second);
}
