// A race in memory that the program wants below 4 GB.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
static char* memory;
static void first(void) {
  memory[5] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  memory[5] = 2;  // race
}
int main(void) {
  memory = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  MUST(memory != MAP_FAILED && (size_t)memory >> 32 == 0);
  RUN(first, second);
}
