// EXPECT race
#include <string.h>

#include "order.h"
char x[1000];
size_t length = 500;
static void first(void) {
  memmove(x + 1, x, length);  // race
  reach(1);
}
static void second(void) {
  await(1);
  x[500] = 1;  // race
}
int main(void) { RUN(first, second); }
