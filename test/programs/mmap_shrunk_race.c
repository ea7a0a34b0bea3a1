// What a mapping loses by mremap is gone as if unmapped; what it keeps is untouched.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
static char* memory;
static void uses(void) {
  memory[0] = 1;
  memory[5000] = 1;  // race
  reach(1);
}
static void shrinks(void) {
  await(1);
  MUST(mremap(memory, 8192, 4096, 0) == memory);  // race
}
int main(void) {
  memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED);
  RUN(uses, shrinks);
}
