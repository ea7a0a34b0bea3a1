// EXPECT none
#include "order.h"
int x[2];
static pthread_barrier_t barrier;
static void body(int me) {
  for (int round = 0; round < 10; ++round) {
    x[me] = round;
    pthread_barrier_wait(&barrier);
    USE(x[1 - me]);
    pthread_barrier_wait(&barrier);
  }
}
static void first(void) { body(0); }
static void second(void) { body(1); }
int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  RUN(first, second);
  pthread_barrier_destroy(&barrier);
}
