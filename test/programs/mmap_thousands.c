// Thousands of mappings, used by one thread after the other.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
enum { kMappings = 20000 };
static char* memory[kMappings];
static void use(void) {
  for (int i = 0; i < kMappings; ++i) {
    // Neighbours differ, so that the system cannot join them.
    memory[i] = mmap(0, 4096, i % 2 != 0 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(memory[i] != MAP_FAILED);
    memory[i][i % 4096] = 1;
  }
  for (int i = 0; i < kMappings; ++i) MUST(munmap(memory[i], 4096) == 0);
}
int main(void) {
  for (int i = 0; i < 3; ++i) RUN(use);
}
