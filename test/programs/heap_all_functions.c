// Memory from every allocating function is new to its caller.
// EXPECT none
#include <malloc.h>
#include <string.h>

#include "order.h"
static void use(volatile char* block, size_t size) {
  MUST(block != NULL);
  for (size_t i = 0; i < size; ++i) block[i] = (char)i;
  free((void*)block);
}
static void body(void) {
  for (int i = 0; i < 50; ++i) {
    use(malloc(100), 100);
    use(calloc(10, 10), 100);
    use(realloc(malloc(10), 100), 100);
    use(reallocarray(NULL, 10, 10), 100);
    use(memalign(64, 100), 100);
    use(aligned_alloc(64, 128), 128);
    use(valloc(100), 100);
    void* aligned;
    MUST(posix_memalign(&aligned, 128, 100) == 0);
    use(aligned, 100);
    char* copy = strdup("twelve bytes");
    use(copy, 13);
    volatile char* slack = malloc(20);
    use(slack, malloc_usable_size((void*)slack));
  }
}
static void first(void) {
  body();
  reach(1);
}
static void second(void) {
  await(1);
  body();
}
int main(void) { RUN(first, second); }
