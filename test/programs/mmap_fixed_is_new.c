// What is mapped over memory that is in use has no history.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
static char* memory;
static char* map_at(char* place, int flags) {
  char* const got = mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  MUST(got != MAP_FAILED);
  return got;
}
static void first(void) {
  memory[10] = 1;
  reach(1);
}
static void second(void) {
  await(1);
  MUST(map_at(memory, MAP_FIXED) == memory);
  memory[10] = 2;
}
int main(void) {
  memory = map_at(NULL, 0);
  RUN(first, second);
}
