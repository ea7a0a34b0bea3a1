// Frames that an exception went through are gone from the stacks of reports.
// EXPECT race
// HAS #0 second\(\)
// HASNOT #[0-9]+ deep
#include <stdexcept>

#include "order.h"
int x, depth;
struct Guard {
  ~Guard() { ++depth; }
};
__attribute__((noinline)) static void deep(int levels) {
  Guard guard;
  if (levels == 0) throw std::runtime_error("out");
  deep(levels - 1);
  __asm__ volatile("");
}
static void first() {
  x = 1;  // race
  reach(1);
}
static void second() {
  await(1);
  try {
    deep(20);
  } catch (const std::exception&) {
    x = 2;  // race
  }
}
int main() { RUN(first, second); }
