// What is called back from a report is the program as ever: a race in it is reported, and it is asked about the report
// that it is told of.
// EXPECT race
// HAS told of x, then of y, then of x again
#include <stdio.h>

#include "order.h"
void* __tsan_get_current_report(void);
int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                          int* atomic, void** trace, unsigned long capacity);
int x, y;
static int depth, told_of_y;
static int is_about(void* report, void* address) {
  void* at = NULL;
  int tid, size, write, atomic;
  void* trace[1];
  return __tsan_get_current_report() == report &&
         __tsan_get_report_mop(report, 0, &tid, &at, &size, &write, &atomic, trace, 1) == 1 && at == address;
}
void __tsan_on_report(void* report) {
  if (__atomic_fetch_add(&depth, 1, __ATOMIC_RELAXED) == 0) {
    const int before = is_about(report, &x);
    y = 2;  // race b
    if (before && told_of_y && is_about(report, &x)) fprintf(stderr, "told of x, then of y, then of x again\n");
  } else {
    told_of_y = is_about(report, &y);
  }
}
static void first(void) {
  y = 1;  // race b
  x = 1;  // race a
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race a
}
int main(void) { RUN(first, second); }
