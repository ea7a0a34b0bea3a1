// A join passes on what the joined thread knew of others.
// EXPECT none
#include "order.h"
int x;
static void grandchild(void) { x = 1; }
static void child(void) { join(start(grandchild)); }
int main(void) {
  join(start(child));
  x = 2;
}
