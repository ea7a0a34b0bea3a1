// Exceptions through instrumented frames, again and again, with locks released on the way.
// EXPECT none
#include <mutex>
#include <stdexcept>

#include "order.h"
int data;
static std::mutex mutex;
__attribute__((noinline)) static void deep(int levels) {
  if (levels == 0) {
    const std::lock_guard<std::mutex> held(mutex);
    ++data;
    throw std::runtime_error("out");
  }
  deep(levels - 1);
  __asm__ volatile("");
}
static void thrower() {
  for (int i = 0; i < 2000; ++i) {
    try {
      deep(20);
    } catch (const std::exception&) {
    }
  }
}
int main() {
  RUN(thrower, thrower);
  return data == 4000 ? 0 : 1;
}
