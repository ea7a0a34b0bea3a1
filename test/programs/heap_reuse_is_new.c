// A block that was freed and handed out again carries no history.
// EXPECT none
#include "order.h"
static void first(void) {
  for (int i = 0; i < 200; ++i) {
    volatile int* x = malloc(40);
    for (int j = 0; j < 10; ++j) x[j] = 1;
    free((void*)x);
  }
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 0; i < 200; ++i) {
    volatile int* x = malloc(40);
    for (int j = 0; j < 10; ++j) x[j] = 1;
    free((void*)x);
  }
}
int main(void) { RUN(first, second, first, second); }
