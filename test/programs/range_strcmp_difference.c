// A comparison looks no further than the first difference.
// EXPECT none
// LEVELS 0
#include <string.h>

#include "order.h"
char x[32] = "abcdef", y[32] = "abXdef";
static void first(void) {
  MUST(strcmp(x, y) != 0);
  MUST(memcmp(x, y, 6) != 0);
  reach(1);
}
static void second(void) {
  await(1);
  x[3] = 'z';
}
int main(void) { RUN(first, second); }
