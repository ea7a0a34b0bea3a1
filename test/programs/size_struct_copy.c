// A struct is copied whole; one member of it is written by another thread.
// EXPECT race
#include "order.h"
struct Large {
  long words[12];
} x, y;
static void first(void) {
  y = x;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x.words[11] = 1;  // race
}
int main(void) { RUN(first, second); }
