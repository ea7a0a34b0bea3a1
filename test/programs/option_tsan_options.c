// Where only TSAN_OPTIONS is set, it counts.
// EXPECT race
// COMMAND unset DEADHEAT_OPTIONS; TSAN_OPTIONS=exitcode=8 exec @PROGRAM@
// EXIT 8
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
int main(void) { RUN(first, second); }
