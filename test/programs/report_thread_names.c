// EXPECT race
// HAS Thread T1 'painter' \(tid=[0-9]+, (finished|running)\) created by main thread at:
#include "order.h"
int x;
static void first(void) {
  pthread_setname_np(pthread_self(), "painter");
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
