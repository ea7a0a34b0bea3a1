// A limit of address space that the program sets is as large as it said: what fits natively fits, what does not fails.
// EXPECT none
#include <sys/mman.h>
#include <sys/resource.h>

#include "order.h"
static void* take(size_t bytes) { return mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
int main(void) {
  struct rlimit limit = {(size_t)1 << 30, (size_t)2 << 30}, seen;
  MUST(setrlimit(RLIMIT_AS, &limit) == 0);
  MUST(getrlimit(RLIMIT_AS, &seen) == 0 && seen.rlim_cur == limit.rlim_cur && seen.rlim_max == limit.rlim_max);
  MUST(prlimit(0, RLIMIT_AS, 0, &seen) == 0 && seen.rlim_cur == limit.rlim_cur);
  MUST(take((size_t)512 << 20) != MAP_FAILED);
  MUST(take((size_t)1 << 30) == MAP_FAILED);
  limit.rlim_cur = (size_t)2 << 30;
  MUST(setrlimit(RLIMIT_AS, &limit) == 0);
  MUST(take((size_t)1 << 30) != MAP_FAILED);
  struct rlimit files;
  MUST(getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > 0 && files.rlim_cur < (size_t)1 << 30);
}
