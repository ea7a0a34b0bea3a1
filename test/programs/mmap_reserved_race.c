// A reservation of 4 TiB, as heaps of languages make it: no access at first, then pages are opened by mprotect, and by a
// mapping in their place. What happens on them is watched.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
#define BYTES ((size_t)4 << 40)
static char *first_page, *middle, *last_page;
static void first(void) {
  *first_page = 1;      // race a
  *middle = 1;          // race b
  last_page[4095] = 1;  // race c
  reach(1);
}
static void second(void) {
  await(1);
  *first_page = 2;      // race a
  *middle = 2;          // race b
  last_page[4095] = 2;  // race c
}
int main(void) {
  char* const memory = mmap(0, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(memory != MAP_FAILED);
  first_page = memory;
  middle = memory + BYTES / 2;
  last_page = memory + BYTES - 4096;
  MUST(mprotect(first_page, 4096, PROT_READ | PROT_WRITE) == 0);
  MUST(mprotect(last_page, 4096, PROT_READ | PROT_WRITE) == 0);
  MUST(mmap(middle, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == middle);
  RUN(first, second);
}
