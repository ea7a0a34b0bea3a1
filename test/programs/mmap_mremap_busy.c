// The place that memory moves away from is another thread's at once: neither takes the other's history.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
enum { kPage = 4096,
       kTimes = 3000 };
static char* map(void) {
  char* memory = mmap(NULL, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED);
  for (int i = 0; i < 4; ++i) memory[i * kPage] = 1;
  return memory;
}
static void moves(void) {
  for (int i = 0; i < kTimes; ++i) {
    char* memory = map();
    memory = mremap(memory, 4 * kPage, 64 * kPage, MREMAP_MAYMOVE);
    MUST(memory != MAP_FAILED);
    for (int page = 0; page < 4; ++page) memory[page * kPage] += 1;
    MUST(munmap(memory, 64 * kPage) == 0);
  }
}
static void maps(void) {
  for (int i = 0; i < kTimes; ++i) {
    char* memory = map();
    for (int page = 0; page < 4; ++page) memory[page * kPage] += 1;
    MUST(munmap(memory, 4 * kPage) == 0);
  }
}
int main(void) { RUN(moves, maps, moves, maps); }
