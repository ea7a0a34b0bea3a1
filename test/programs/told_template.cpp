// What templates make of one line is one line.
// EXPECT race
// HAS reported 1 warning
#include "order.h"
int x[2];
template <int kNumber>
__attribute__((noinline)) void set(int i) {
  x[i] = kNumber;  // race
}
static void first() {
  set<1>(0);
  set<1>(1);
  reach(1);
}
static void second() {
  await(1);
  set<2>(0);
  reach(2);
}
static void third() {
  await(2);
  set<3>(1);
}
int main() { RUN(first, second, third); }
