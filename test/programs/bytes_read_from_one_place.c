// One place in the code reads the bytes of a word one after the other, each in another epoch: they are not all as late as
// the last one.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char bytes[4] __attribute__((aligned(4)));
static void __attribute__((noinline)) look_at(int i) { USE(((volatile char*)bytes)[i]); }
static void first(void) {
  for (int i = 0; i < 3; ++i) {
    look_at(i);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  look_at(3);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  ((volatile char*)bytes)[0] = 1;
}
int main(void) { RUN(first, second); }
