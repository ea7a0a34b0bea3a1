// A status that says something already stays.
// EXPECT race
// EXIT 3
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
int main(void) {
  RUN(first, second);
  quick_exit(3);
}
