// Annotations hide races with accesses in a function, to a global, or to blocks that a function allocates, and no other.
// EXPECT race
// OPTIONS annotations=@DIR@/annotations_hide.txt
// HAS Matched 3 suppressions
// HAS 1 Method quiet
// HAS 1 Field counter
// HAS 1 Class make
#include <stdlib.h>

#include "order.h"

int counter, a, told;
int* block;

__attribute__((noinline)) static int* make(void) { return calloc(1, 24); }
__attribute__((noinline)) static void quiet(void) { a = 1; }
static void* writer(void* unused) {
  counter = 1;
  quiet();
  *block = 1;
  told = 1;  // race
  reach(1);
  return unused;
}
int main(void) {
  block = make();
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  await(1);
  counter = 2;
  a = 2;
  *block = 2;
  told = 2;  // race
  pthread_join(thread, 0);
  free(block);
}
