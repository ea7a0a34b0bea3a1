// Where memory moved away from, and where it was made larger, there is no history.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
static char* place;
static void first(void) {
  char* memory = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memory[10] = 1;
  memory[5000] = 1;
  char* moved = mremap(memory, 8192, 1 << 20, MREMAP_MAYMOVE);
  MUST(moved != MAP_FAILED);
  __atomic_store_n(&place, memory, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  char* const wanted = __atomic_load_n(&place, __ATOMIC_RELAXED);
  char* memory = mmap(wanted, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memory[10] = 2;
  memory[5000] = 2;
}
int main(void) { RUN(first, second); }
