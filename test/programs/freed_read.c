// Memory is used after its free by the thread that freed it, while another thread lives.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS ^  Read of size 4 at 0x[0-9a-f]+ by thread T2:
// HAS ^  Previous write of size 8 at 0x[0-9a-f]+ by thread T2:
// HAS ^  Location is heap block of size 40 at 0x[0-9a-f]+ allocated by main thread:
// HAS ^  Thread T2 .* created by main thread at:
// HASNOT race with free
#include "order.h"
int* volatile x;
static void first(void) {
  USE(x[2]);  // recorded in this epoch, before the free: not a hit after it
  free(x);    // race
  USE(x[2]);  // race
}
static void second(void) { await(1); }
int main(void) {
  x = malloc(40);
  pthread_t other = start(second);
  join(start(first));
  reach(1);
  join(other);
}
