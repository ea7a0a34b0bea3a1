// A race in the last of thousands of mappings.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
enum { kMappings = 20000 };
static char* memory[kMappings];
static void first(void) {
  memory[kMappings - 1][5] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  memory[kMappings - 1][5] = 2;  // race
}
int main(void) {
  for (int i = 0; i < kMappings; ++i) {
    memory[i] = mmap(0, 4096, i % 2 != 0 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(memory[i] != MAP_FAILED);
  }
  RUN(first, second);
}
