// With halt_on_error one report is written and the program is called back once, however many threads race meanwhile.
// EXPECT race
// OPTIONS halt_on_error=1
// HAS ^the end$
// HASNOT twice|went on
#include <stdio.h>

#include "order.h"
void __sanitizer_set_death_callback(void (*callback)(void));
int x, y;
static int reports, deaths;
void __tsan_on_report(void* report) {
  (void)report;
  if (__atomic_fetch_add(&reports, 1, __ATOMIC_RELAXED) != 0) fprintf(stderr, "reported twice\n");
  reach(2);
  await(3);
}
static void dies(void) {
  if (__atomic_fetch_add(&deaths, 1, __ATOMIC_RELAXED) != 0) fprintf(stderr, "died twice\n");
  for (int i = 0; i < 50; ++i) sched_yield();
  fprintf(stderr, "the end\n");
}
static void first(void) {
  x = 1;  // race
  y = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
static void third(void) {
  await(2);
  reach(3);
  y = 2;  // not told: the program has ended
  fprintf(stderr, "went on\n");
}
int main(void) {
  __sanitizer_set_death_callback(dies);
  RUN(first, second, third);
}
