// munmap is no free: what is mapped there next is new; so is what the program maps where glibc gave memory back.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
static void first(void) {
  char* x = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  x[1] = 1;
  munmap(x, 8192);
  MUST(mmap(x, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == x);
  x[1] = 2;
  char* volatile y = malloc(1 << 20);
  for (int i = 0; i < 1 << 20; i += 100) y[i] = 1;
  char* page = (char*)(((uintptr_t)y + 8192) & ~(uintptr_t)4095);
  free(y);
  MUST(mmap(page, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
  for (int i = 0; i < 8192; ++i) page[i] = 1;
}
int main(void) {
  first();
  RUN(first);
  first();
}
