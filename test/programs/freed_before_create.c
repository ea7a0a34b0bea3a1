// The only thread frees; one that it creates later uses the memory.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS Write of size 4 at 0x[0-9a-f]+ by thread T1:
// HAS Previous write of size 8 at 0x[0-9a-f]+ by main thread:
// HASNOT race with free
#include "order.h"
int* volatile x;
static void first(void) {
  x[2] = 1;  // race
}
int main(void) {
  x = malloc(40);
  free(x);  // race
  join(start(first));
}
