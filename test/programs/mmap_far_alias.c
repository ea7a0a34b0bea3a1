// Memory far away, whose address differs from that of a variable in a few high bits only, has a history of its own: the
// place is refused, or nothing that happens there is taken for an access to the variable.
// EXPECT none
#include <sys/mman.h>

#include "order.h"
static int x;
static int* heap;
static int* far_away[64];
static int count;
static void add_far(const void* from) {
  for (size_t bits = 1; bits < 16; ++bits) {
    const size_t place = (size_t)from ^ bits << 43;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    char* const page = mmap((char*)(place & ~(size_t)4095), 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (page != MAP_FAILED) far_away[count++] = (int*)(page + (place & 4095));
  }
}
static void first(void) {
  x = *heap = 1;
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 0; i < count; ++i) *far_away[i] = 2;
}
int main(void) {
  heap = malloc(sizeof *heap);
  add_far(&x);
  add_far(heap);
  RUN(first, second);
  free(heap);
}
