// EXPECT race
#include <string.h>

#include "order.h"
char x[1000];
size_t length = 1000;
static void first(void) {
  memset(x, 1, length);  // race
  reach(1);
}
static void second(void) {
  await(1);
  USE(x[501]);  // race
}
int main(void) { RUN(first, second); }
