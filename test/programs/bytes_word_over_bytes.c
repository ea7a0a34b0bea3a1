// Four bytes were written by four threads; an int over them meets all of them: one variable, one report of the first.
// EXPECT race
#include "order.h"
union {
  int word;
  char bytes[4];
} x;
static void first(void) {
  x.bytes[2] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x.word = 2;  // race
}
int main(void) { RUN(first, second); }
