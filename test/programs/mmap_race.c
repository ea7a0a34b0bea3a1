// EXPECT race
#include <sys/mman.h>

#include "order.h"
int* x;
static void first(void) {
  x[1000] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[1000] = 2;  // race
}
int main(void) {
  x = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(x != MAP_FAILED);
  RUN(first, second);
}
