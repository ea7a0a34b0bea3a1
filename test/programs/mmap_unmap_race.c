// Memory that is unmapped while another thread uses it: unmapping is a write of all of it.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
static char* memory;
static void uses(void) {
  memory[5000] = 1;  // race
  reach(1);
}
static void unmaps(void) {
  await(1);
  MUST(munmap(memory, 8192) == 0);  // race
}
int main(void) {
  memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED);
  RUN(uses, unmaps);
}
