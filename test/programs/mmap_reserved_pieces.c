// 4 TiB without access, given back and taken again in pieces, and opened at odd places: races there are seen.
// EXPECT race
#include <errno.h>
#include <sys/mman.h>

#include "order.h"
#define TIB ((size_t)1 << 40)
static char *a, *b, *c;
static void first(void) {
  *a = 1;  // race a
  *b = 1;  // race b
  *c = 1;  // race c
  reach(1);
}
static void second(void) {
  await(1);
  *a = 2;  // race a
  *b = 2;  // race b
  *c = 2;  // race c
}
int main(void) {
  for (int i = 0; i < 20; ++i) {
    char* m = mmap(0, 4 * TIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(m != MAP_FAILED);
    MUST(munmap(m + TIB, TIB) == 0);
    MUST(mmap(m + TIB, TIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == m + TIB);
    MUST(madvise(m, 4 * TIB, MADV_DONTDUMP) == 0);
    MUST(mprotect(m + TIB / 2, 1 << 21, PROT_READ | PROT_WRITE) == 0);
    m[TIB / 2] = 1;
    MUST(munmap(m, 4 * TIB) == 0);
  }
  char* m = mmap(0, 4 * TIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(m != MAP_FAILED);
  char* second_one = mmap(0, TIB / 8, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(second_one != MAP_FAILED);
  a = m + 3 * TIB + 12345;
  b = second_one + TIB / 16 + 77;
  c = m + TIB - 1;
  MUST(mprotect(m + 3 * TIB, 1 << 16, PROT_READ | PROT_WRITE) == 0);
  MUST(mprotect(second_one + TIB / 16, 4096, PROT_READ | PROT_WRITE) == 0);
  MUST(mprotect(m + TIB - 4096, 8192, PROT_READ | PROT_WRITE) == 0);
  RUN(first, second);
}
