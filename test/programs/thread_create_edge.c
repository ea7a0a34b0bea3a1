// What was done before a thread was created is known to it.
// EXPECT none
#include "order.h"
int x;
static void child(void) { x++; }
int main(void) {
  x = 1;
  join(start(child));
}
