// What a thread did is known to the thread that joined it.
// EXPECT none
#include "order.h"
int x;
static void child(void) { x = 1; }
int main(void) {
  join(start(child));
  x = 2;
}
