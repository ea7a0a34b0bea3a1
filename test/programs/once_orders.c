// A thread that returns from pthread_once knows what the initialiser did.
// EXPECT none
#include "order.h"
int x;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void) { x = 1; }
static void first(void) {
  pthread_once(&once, initialise);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_once(&once, initialise);
  USE(x);
}
int main(void) { RUN(first, second); }
