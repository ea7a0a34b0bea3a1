// What a thread does after its initialiser has thrown nobody comes after.
// EXPECT race
#include <mutex>

#include "order.h"
std::once_flag once;
int tries, x;
static void initialise() {
  if (++tries == 1) throw 1;
}
static void first() {
  try {
    std::call_once(once, initialise);
  } catch (int) {
    x = 1;  // race
    reach(1);
  }
}
static void second() {
  await(1);
  std::call_once(once, initialise);
  x = 2;  // race
}
int main() { RUN(first, second); }
