// Five thousand threads, one after the other: slots are used again, and order is kept.
// EXPECT none
#include "order.h"
int x;
static void body(void) { x++; }
int main(void) {
  for (int i = 0; i < 5000; ++i) join(start(body));
}
