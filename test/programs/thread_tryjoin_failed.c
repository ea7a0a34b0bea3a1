// A tryjoin that found the thread busy orders nothing.
// EXPECT race
#include "order.h"
int x;
static void child(void) {
  x = 1;  // race
  reach(1);
  await(2);
}
int main(void) {
  pthread_t thread = start(child);
  await(1);
  MUST(pthread_tryjoin_np(thread, NULL) != 0);
  x = 2;  // race
  reach(2);
  join(thread);
}
