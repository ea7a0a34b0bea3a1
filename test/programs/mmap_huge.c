// Reservations of terabytes cost nothing, again and again; what is used of them is watched, and new when mapped anew.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
int main(void) {
  for (int i = 0; i < 50; ++i) {
    const size_t bytes = (size_t)1 << 39;
    char* memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(memory != MAP_FAILED);
    for (size_t at = 0; at < bytes; at += bytes / 8) memory[at] = (char)i;
    MUST(munmap(memory, bytes) == 0);
  }
}
