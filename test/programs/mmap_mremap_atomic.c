// An atomic object in memory that moves takes along what was released to it: the load at the new place knows it.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
static int data;
static int* flag;
static void first(void) {
  data = 1;
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  void* target = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int* moved = mremap(flag, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, target);
  MUST((void*)moved == target);
  __atomic_store_n(&flag, moved, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  MUST(__atomic_load_n(__atomic_load_n(&flag, __ATOMIC_RELAXED), __ATOMIC_ACQUIRE) == 1);
  data = 2;
}
int main(void) {
  flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(flag != MAP_FAILED);
  RUN(first, second);
}
