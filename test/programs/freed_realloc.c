// The block before realloc: what it returned is fine, the old one is not.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS #0 realloc
// HASNOT race with free
#include "order.h"
static void first(void) {
  int* volatile old = malloc(40);
  old[2] = 1;
  int* volatile larger = realloc(old, 400);  // race
  larger[2] = 2;
  USE(old[2]);  // race
  free(larger);
}
int main(void) { RUN(first); }
