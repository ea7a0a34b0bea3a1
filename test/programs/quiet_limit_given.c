// A limit of address space that the program was started under leaves room for the shadow.
// EXPECT race
// MARKS race.h
// COMMAND ulimit -S -v 1000000; @PROGRAM@
#include <sys/mman.h>
#include <sys/resource.h>

#include "race.h"
int main(void) {
  struct rlimit seen;
  MUST(getrlimit(RLIMIT_AS, &seen) == 0 && seen.rlim_cur == (size_t)1000000 * 1024);
  MUST(mmap(0, (size_t)1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  race();
}
