// Thousands of races of the same two lines in a large mapping that is busy everywhere: what each is about is found without
// a walk over the mapping, which would take longer than the CPU time that the program may use.
// EXPECT race
#include <sys/mman.h>
#include <sys/resource.h>

#include "order.h"
enum { kBytes = 64 << 20,
       kRaces = 20000 };
static char* memory;
static void first(void) {
  for (int i = 0; i < kBytes; i += 512) memory[i + i / 512 % 7] = 1;
  for (int i = 1; i <= kRaces; ++i) memory[kBytes - 8 * i + 7] = 2;  // race
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 1; i <= kRaces; ++i) memory[kBytes - 8 * i + 7] = 3;  // race
}
int main(void) {
  const struct rlimit limit = {20, 20};
  MUST(setrlimit(RLIMIT_CPU, &limit) == 0);
  memory = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED);
  RUN(first, second);
}
