// A thread that joins a cancelled thread knows what it did.
// EXPECT none
#include <unistd.h>

#include "order.h"
int x;
static void child(void) {
  x = 1;
  reach(1);
  for (;;) pause();
}
int main(void) {
  pthread_t thread = start(child);
  await(1);
  pthread_cancel(thread);
  join(thread);
  x = 2;
}
