// The report shows where the earlier access began, also if that was at no multiple of its size.
// EXPECT race
// HAS Location is global 'x' of size 64
// HAS reported 1 warning
// HAS the earlier access began at x \+ 5, size 8
#include <stdio.h>

#include "order.h"
_Alignas(16) char x[64];
struct __attribute__((packed)) Long {
  long value;
};
int __tsan_get_report_mop(void* report, unsigned long index, int* thread, void** address, int* size, int* write,
                          int* atomic, void** trace, unsigned long trace_size);
void __tsan_on_report(void* report) {
  int ignored, size = 0;
  void *address = NULL, *trace[1];
  __tsan_get_report_mop(report, 1, &ignored, &address, &size, &ignored, &ignored, trace, 1);
  fprintf(stderr, "the earlier access began at x + %d, size %d\n", (int)((char*)address - x), size);
}
static void first(void) {
  ((struct Long*)(x + 5))->value = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[12] = 2;  // race
}
int main(void) { RUN(first, second); }
