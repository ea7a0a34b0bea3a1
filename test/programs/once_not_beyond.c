// What the first caller does after the initialiser is its own.
// EXPECT race
#include "order.h"
int x;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void) {}
static void first(void) {
  pthread_once(&once, initialise);
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  pthread_once(&once, initialise);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
