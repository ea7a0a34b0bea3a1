// One thread makes a vector grow while another reads it.
// EXPECT race
#include <vector>

#include "order.h"
static std::vector<int> x(4);
static void first() {
  USE(x[2]);  // race
  reach(1);
}
static void second() {
  await(1);
  for (int& value : x) value = 1;  // race
}
int main() { RUN(first, second); }
