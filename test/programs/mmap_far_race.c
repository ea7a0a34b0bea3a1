// Memory that the program wants where we have no shadow: a hint leads elsewhere, and is watched there; a program that insists is
// refused, or is watched, too.
// EXPECT race
#include <errno.h>
#include <sys/mman.h>

#include "order.h"
static char* memory;
static void first(void) {
  memory[7] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  memory[7] = 2;  // race
}
static char* map_at(size_t place, int flags) {
  return mmap((char*)place, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}
int main(void) {
  const size_t terabyte = (size_t)1 << 40;
  for (size_t place = terabyte; place < 120 * terabyte; place += terabyte) {
    char* const hinted = map_at(place, 0);
    MUST(hinted != MAP_FAILED);
    hinted[5] = 1;
    char* const fixed = map_at(place, MAP_FIXED_NOREPLACE);
    MUST(fixed != MAP_FAILED || errno == EEXIST);
    if (fixed != MAP_FAILED) fixed[5] = 1;
    memory = hinted;
  }
  // The same for what is larger than there is room for.
  for (size_t bytes = terabyte; bytes < 120 * terabyte; bytes *= 2) {
    char* const large = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(large != MAP_FAILED || errno == ENOMEM);
    if (large == MAP_FAILED) continue;
    large[0] = large[bytes / 2] = large[bytes - 1] = 1;
    MUST(munmap(large, bytes) == 0);
  }
  RUN(first, second);
}
