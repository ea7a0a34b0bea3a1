// A switch without synchronisation: fibers are threads of their own.
// EXPECT race
#include "fiber.h"
int x;
static void body(void) {
  x = 1;  // race
  switch_to_main(1);
}
int main(void) {
  make_fiber(body);
  switch_to_fiber(1);
  x = 2;  // race
}
