// A block is handed out again in part: that part is new, the rest is still freed.
// EXPECT race
// HASNOT race with free
#include "order.h"
static char* volatile x, * volatile y;
static void first(void) {
  x = malloc(4000);
  USE(malloc(100));  // the end of the heap stays where it is
  free(x);           // race
  y = malloc(2000);
  if (y != x) exit(3);
  for (int i = 0; i < 2000; ++i) y[i] = 1;
  x[3900] = 1;  // race
}
int main(void) { RUN(first); }
