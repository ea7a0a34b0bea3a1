// The count is safe, the pointer itself is not.
// EXPECT race
#include <memory>

#include "order.h"
static std::shared_ptr<int> shared = std::make_shared<int>(1);
static int* x = shared.get();
static void first() {
  *x = 1;  // race
  reach(1);
}
static void second() {
  await(1);
  *x = 2;  // race
}
int main() { RUN(first, second); }
