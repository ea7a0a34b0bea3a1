// A race of a large atomic object is told with no lock held: what is called back may use the object.
// EXPECT race
// HAS called back: 7
#include <atomic>
#include <cstdio>
#include <cstring>

#include "order.h"
struct Large {
  long parts[5];
};
static std::atomic<Large> object;
extern "C" void __tsan_on_report(void*) { fprintf(stderr, "called back: %ld\n", object.load().parts[4]); }
static void first() {
  reinterpret_cast<Large*>(&object)->parts[4] = 7;  // race
  reach(1);
}
static void second() {
  await(1);
  // The order of frames is the library's business; the race is with this line.
  USE(object.load(std::memory_order_relaxed).parts[4]);  // race
}
int main() { RUN(first, second); }
