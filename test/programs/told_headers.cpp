// A header's line counts as the program's line that called it: three lines append to one vector.
// EXPECT race
// HAS reported 3 warnings
#include <vector>

#include "order.h"
static std::vector<int> v;
static void first() {
  v.push_back(1);  // race a // race c
  reach(1);
}
static void second() {
  await(1);
  v.push_back(2);  // race a // race b
  reach(2);
}
static void third() {
  await(2);
  v.push_back(3);  // race b // race c
}
int main() {
  v.reserve(10);
  RUN(first, second, third);
}
