// Two threads fill parts of an array that share one element.
// EXPECT race
#include "order.h"
int x[1000];
static void first(void) {
  for (int i = 0; i <= 500; ++i) x[i] = i;  // race
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 500; i < 1000; ++i) x[i] = i;  // race
}
int main(void) { RUN(first, second); }
