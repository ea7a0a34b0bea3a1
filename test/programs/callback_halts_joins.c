// With halt_on_error, too, a callback may wait for a thread that it creates and that races: nothing is told of it, and
// nobody waits for long.
// EXPECT race
// OPTIONS halt_on_error=1
// HAS ^joined at once$
#include <stdio.h>
#include <time.h>

#include "order.h"
int x, y;
static void other_first(void) {
  y = 1;
  reach(2);
}
static void other_second(void) {
  await(2);
  y = 2;
}
void __tsan_on_report(void* report) {
  (void)report;
  const time_t begun = time(NULL);
  RUN(other_first, other_second);
  if (time(NULL) < begun + 9) fprintf(stderr, "joined at once\n");
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
