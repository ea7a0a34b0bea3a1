// A large block is given back to the system by free itself: what lies there next was never freed, whichever thread mapped it.
// EXPECT none
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"
static void first(void) {
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  char* volatile x = malloc(1 << 20);
  for (int i = 0; i < 1 << 20; i += 100) x[i] = 1;
  char* const page = (char*)(((uintptr_t)x + 8191) & ~(uintptr_t)4095);
  free(x);
  // As the loader does it for a library.
  const long got =
      syscall(SYS_mmap, page, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  MUST(got == (long)page);
  for (int i = 0; i < 65536; ++i) page[i] = 1;
  for (int i = 0; i < 65536; ++i) USE(page[i]);
}
int main(void) {
  first();
  RUN(first);
}
