// A write before the barrier and one after the other thread's next arrival.
// EXPECT race
#include "order.h"
int x;
static pthread_barrier_t barrier;
static void first(void) {
  pthread_barrier_wait(&barrier);
  x = 1;  // race
  reach(1);
}
static void second(void) {
  pthread_barrier_wait(&barrier);
  await(1);
  x = 2;  // race
}
int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  RUN(first, second);
}
