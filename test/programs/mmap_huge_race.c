// A race far into a huge reservation.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
static char* memory;
static void first(void) {
  memory[((size_t)1 << 38) + 7] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  memory[((size_t)1 << 38) + 7] = 2;  // race
}
int main(void) {
  memory = mmap(0, (size_t)1 << 39, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(memory != MAP_FAILED);
  RUN(first, second);
}
