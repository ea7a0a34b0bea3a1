// Destructors of the program are watched, and so are the threads they start.
// EXPECT race
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
__attribute__((destructor)) static void last(void) { RUN(first, second); }
int main(void) { return 0; }
