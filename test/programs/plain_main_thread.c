// The main thread races like any other.
// EXPECT race
// HAS by main thread
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
int main(void) {
  pthread_t thread = start(first);
  await(1);
  x = 2;  // race
  join(thread);
}
