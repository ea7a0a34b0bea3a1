// Handles of threads are used again at once: a join must know which thread it waited for.
// EXPECT none
#include "order.h"
static void leaf(void) {}
static void middle(void) {
  for (int i = 0; i < 200; ++i) join(start(leaf));
}
int main(void) { RUN(middle, middle, middle, middle, middle, middle, middle, middle); }
