// Memory by which a program moves the end of its heap itself has no history.
// EXPECT none
#include <unistd.h>

#include "order.h"
static char* place;
static void first(void) {
  char* const memory = sbrk(4096);
  memory[10] = 1;
  MUST(brk(memory) == 0);
  __atomic_store_n(&place, memory, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  MUST(sbrk(4096) == __atomic_load_n(&place, __ATOMIC_RELAXED));
  __atomic_load_n(&place, __ATOMIC_RELAXED)[10] = 2;
}
int main(void) { RUN(first, second); }
