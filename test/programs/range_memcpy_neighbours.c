// memcpy touches nothing beyond its length.
// EXPECT none
#include <string.h>

#include "order.h"
char x[100], y[100];
size_t length = 49;
static void first(void) {
  memcpy(x + 1, y + 1, length);
  reach(1);
}
static void second(void) {
  await(1);
  x[0] = 2;
  x[50] = 2;
  y[0] = 2;
  y[50] = 2;
}
int main(void) { RUN(first, second); }
