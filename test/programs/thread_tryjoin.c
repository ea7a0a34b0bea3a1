// EXPECT none
#include "order.h"
int x;
static void child(void) { x = 1; }
int main(void) {
  pthread_t thread = start(child);
  while (pthread_tryjoin_np(thread, NULL) != 0) sched_yield();
  x = 2;
}
