// A mapping that grows in place: the new part has no history, even where a system call went past us to free the place.
// EXPECT none
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"
static char* memory;
static void first(void) {
  memory[5000] = 1;
  // A library without instrumentation may do this: nobody told us that the page went away.
  MUST(syscall(SYS_munmap, memory + 4096, 4096) == 0);
  reach(1);
}
static void second(void) {
  await(1);
  MUST(mremap(memory, 4096, 8192, 0) == memory);
  memory[5000] = 2;
}
int main(void) {
  memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED);
  RUN(first, second);
}
