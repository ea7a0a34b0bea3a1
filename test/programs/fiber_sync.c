// A switch between fibers orders what was done before it.
// EXPECT none
#include "fiber.h"
int x;
static void body(void) {
  for (;;) {
    ++x;
    switch_to_main(0);
  }
}
int main(void) {
  make_fiber(body);
  for (int i = 0; i < 100; ++i) {
    ++x;
    switch_to_fiber(0);
  }
  MUST(x == 200);
  __tsan_destroy_fiber(fiber);
}
