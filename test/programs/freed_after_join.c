// A thread frees; the one that joined it, and is alone from then on, uses the memory.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS Read of size 4 at 0x[0-9a-f]+ by main thread:
// HAS Previous write of size 8 at 0x[0-9a-f]+ by thread T1:
// HASNOT race with free
#include "order.h"
int* volatile x;
static void first(void) {
  free(x);  // race
}
int main(void) {
  x = malloc(40);
  join(start(first));
  USE(x[2]);  // race
}
