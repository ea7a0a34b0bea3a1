// The same for a write, after a write in the same epoch.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HASNOT race with free
#include "order.h"
int* volatile x;
static void first(void) {
  x[2] = 1;
  free(x);   // race
  x[2] = 2;  // race
}
static void second(void) { await(1); }
int main(void) {
  x = malloc(40);
  pthread_t other = start(second);
  join(start(first));
  reach(1);
  join(other);
}
