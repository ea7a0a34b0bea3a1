// A limit of address space that the program was started under leaves room for the shadow.
// EXPECT race
// COMMAND ulimit -S -v 1000000; @PROGRAM@
#include <sys/mman.h>
#include <sys/resource.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) {
  struct rlimit seen;
  MUST(getrlimit(RLIMIT_AS, &seen) == 0 && seen.rlim_cur == (size_t)1000000 * 1024);
  MUST(mmap(0, (size_t)1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  RUN(first, second);
}
