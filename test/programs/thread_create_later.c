// What the creator does after the creation is not.
// EXPECT race
#include "order.h"
int x;
static void child(void) {
  await(1);
  USE(x);  // race
}
int main(void) {
  pthread_t thread = start(child);
  x = 1;  // race
  reach(1);
  join(thread);
}
