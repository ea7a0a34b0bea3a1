// With the option off only races with a free are reported.
// EXPECT none
// OPTIONS report_use_after_free=0
#include <string.h>

#include "order.h"
static int* volatile x, * volatile y;
static void first(void) { free(x); }
static void second(void) {
  free(y);
  y[2] = 1;
  USE(y[3]);
}
int main(void) {
  x = malloc(40);
  y = malloc(40);
  join(start(first));
  USE(x[2]);
  x = malloc(4000);
  free(x);
  x[5] = 1;
  RUN(second);
}
