// The thread that is left alone is not the first one: its free is told as its own, and is before what later threads do.
// EXPECT race
// HAS Previous write of size 8 at 0x[0-9a-f]+ by thread T1
// HAS Read of size 4 at 0x[0-9a-f]+ by thread T1:
// HAS Read of size 4 at 0x[0-9a-f]+ by thread T2:
// HASNOT race with free
#include "order.h"
static int* volatile x, * volatile y;
static pthread_t first_thread;
static void later(void) {
  USE(y[3]);  // race y
}
static void heir(void) {
  join(first_thread);
  free(x);    // race x
  free(y);    // race y
  USE(x[3]);  // race x
  join(start(later));
  exit(0);
}
int main(void) {
  x = malloc(40);
  y = malloc(40);
  first_thread = pthread_self();
  start(heir);
  pthread_exit(NULL);
}
