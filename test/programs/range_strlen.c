// strlen reads the final zero, too.
// EXPECT race
// FLAGS -fno-builtin
#include <string.h>

#include "order.h"
char x[32] = "four";
static void first(void) {
  MUST(strlen(x) == 4);  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[4] = '!';  // race
}
int main(void) { RUN(first, second); }
