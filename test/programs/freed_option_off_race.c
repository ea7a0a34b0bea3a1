// The race with a free is reported with the option off, too.
// EXPECT race
// OPTIONS report_use_after_free=0
// HAS heap-use-after-free \(race with free\)
#include "order.h"
int* volatile x;
static void first(void) {
  free(x);  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(x[2]);  // race
}
int main(void) {
  x = malloc(5000);
  RUN(first, second);
}
