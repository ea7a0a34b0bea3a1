// With halt_on_error, too, a callback may wait for a thread that it creates and that races: nothing is told of it, and
// nobody waits for long.
// EXPECT race
// OPTIONS halt_on_error=1
// HAS ^joined at once$
#include <stdio.h>
#include <sys/resource.h>

#include "order.h"
int x, y;
static long waits;  // a thread that waits for the end of the program does so thousands of times for a moment
static void other_first(void) {
  y = 1;
  reach(2);
}
static void other_second(void) {
  await(2);
  y = 2;
  struct rusage used;
  MUST(getrusage(RUSAGE_THREAD, &used) == 0);
  waits = used.ru_nvcsw;
}
void __tsan_on_report(void* report) {
  (void)report;
  RUN(other_first, other_second);
  if (waits < 1000) fprintf(stderr, "joined at once\n");
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
