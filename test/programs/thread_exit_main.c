// The main thread ends by pthread_exit; the other goes on and is watched.
// EXPECT race
#include "order.h"
int x;
static void child(void) {
  await(1);
  x = 2;  // race
}
int main(void) {
  pthread_detach(start(child));
  x = 1;  // race
  reach(1);
  pthread_exit(NULL);
}
