// An initialiser that throws comes before the next one to try, with all that was done while it was left.
// EXPECT none
#include <mutex>

#include "order.h"
std::once_flag once;
int tries, left;
struct Leaving {
  ~Leaving() { ++left; }
};
static void initialise() {
  const Leaving leaving;
  if (++tries == 1) throw 1;
}
static void first() {
  try {
    std::call_once(once, initialise);
  } catch (int) {
    reach(1);
  }
}
static void second() {
  await(1);
  std::call_once(once, initialise);
  MUST(tries == 2 && left == 2);
}
int main() { RUN(first, second); }
