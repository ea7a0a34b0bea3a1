// A program may ask about a report while it is being told.
// EXPECT race
// HAS query: data-race 2 accesses, 4 bytes, write 1, 2 threads, global
#include <stdio.h>
#include <string.h>

#include "order.h"
int __tsan_get_report_data(void* report, const char** description, int* count, int* stacks, int* accesses,
                           int* locations, int* mutexes, int* threads, int* unique, void** sleep, unsigned long size);
int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                          int* atomic, void** trace, unsigned long capacity);
int __tsan_get_report_loc(void* report, unsigned long index, const char** type, void** address, void** start,
                          unsigned long* size, int* tid, int* fd, int* suppressable, void** trace,
                          unsigned long capacity);
int x;
void __tsan_on_report(void* report) {
  const char *description, *type;
  int count, stacks, accesses, locations, mutexes, threads, unique, tid, size, write, atomic, fd, suppressable;
  void *sleep[4], *trace[16], *address, *start;
  unsigned long bytes;
  MUST(__tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes, &threads, &unique,
                              sleep, 4) == 1);
  MUST(__tsan_get_report_mop(report, 0, &tid, &address, &size, &write, &atomic, trace, 16) == 1);
  MUST(__tsan_get_report_loc(report, 0, &type, &address, &start, &bytes, &tid, &fd, &suppressable, trace, 16) == 1);
  MUST(start == &x && bytes == 4);
  fprintf(stderr, "query: %s %d accesses, %d bytes, write %d, %d threads, %s\n", description, accesses, size, write,
          threads, type);
}
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
