// exitcode=0 leaves the program's own status.
// EXPECT race
// OPTIONS exitcode=0
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
  return 3;
}
