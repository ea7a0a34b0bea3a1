// A detached thread is ordered with nobody after it.
// EXPECT race
#include "order.h"
int x;
static void child(void) {
  x = 1;  // race
  reach(1);
}
int main(void) {
  pthread_detach(start(child));
  await(1);
  x = 2;  // race
}
