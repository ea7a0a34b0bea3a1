// delete and delete[].
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS #0 operator delete
// HASNOT race with free
#include "order.h"
static int* volatile x, * volatile y;
static void first() {
  delete x;    // race x
  delete[] y;  // race y
  USE(*x);     // race x
  y[7] = 1;    // race y
}
int main() {
  x = new int(1);
  y = new int[10];
  RUN(first);
}
