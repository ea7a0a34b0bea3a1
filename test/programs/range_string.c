// strcpy reads and writes up to the final zero.
// EXPECT race
#include <string.h>

#include "order.h"
char x[32], y[32] = "twelve bytes";
static void first(void) {
  strcpy(x, y);  // race
  reach(1);
}
static void second(void) {
  await(1);
  y[12] = 'x';  // race
}
int main(void) { RUN(first, second); }
