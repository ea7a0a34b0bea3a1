// memcpy reads all of its source.
// EXPECT race
#include <string.h>

#include "order.h"
char x[100], y[100];
size_t length = 100;
static void first(void) {
  memcpy(x, y, length);  // race
  reach(1);
}
static void second(void) {
  await(1);
  y[57] = 2;  // race
}
int main(void) { RUN(first, second); }
