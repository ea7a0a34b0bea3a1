// A reservation that grows by mremap to terabytes, and moves for that, takes its history along.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
#define TERABYTE ((size_t)1 << 40)
static char* memory;
static void first(void) {
  memory[7] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  char* const wall = mmap(memory + TERABYTE / 4, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  MUST(wall != MAP_FAILED);
  char* const moved = mremap(memory, TERABYTE / 4, 3 * TERABYTE, MREMAP_MAYMOVE);
  MUST(moved != MAP_FAILED);
  moved[3 * TERABYTE - 1] = 1;
  moved[7] = 2;  // race
}
int main(void) {
  const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char* const more = mmap(0, TERABYTE / 2, protection, flags, -1, 0);
  MUST(more != MAP_FAILED);
  memory = more;
  MUST(munmap(memory + TERABYTE / 4, TERABYTE / 4) == 0);
  RUN(first, second);
}
