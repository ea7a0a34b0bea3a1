// A program with an allocator of its own: fresh blocks come from it, and races on them are found.
// EXPECT race
#include <string.h>

#include "order.h"
static char arena[1 << 20] __attribute__((aligned(16)));
static size_t used;
void* malloc(size_t size) {
  size_t at = __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);
  return at + size < sizeof arena ? arena + at : NULL;
}
void free(void* block) { (void)block; }
void* calloc(size_t n, size_t size) {
  void* block = malloc(n * size);
  return block;
}
void* realloc(void* block, size_t size) {
  void* larger = malloc(size);
  if (block != NULL && larger != NULL) memcpy(larger, block, size);
  return larger;
}
int* x;
static void first(void) {
  x[1] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[1] = 2;  // race
}
int main(void) {
  x = malloc(100);
  RUN(first, second);
}
