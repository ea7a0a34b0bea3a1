// EXPECT none
#include "order.h"
int* x;
static void first(void) { x[1] = 1; }
int main(void) {
  x = malloc(100);
  join(start(first));
  free(x);
}
