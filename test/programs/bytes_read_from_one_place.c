// One place in the code reads the bytes of a word one after the other, each in another epoch: they are not all as late as
// the last one.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char bytes[4] __attribute__((aligned(4)));
static volatile int count = 4;  // unknown to the compiler, which would make several places of one
static void first(void) {
  for (int i = 0; i < count; ++i) {
    USE(((volatile char*)bytes)[i]);
    if (i == 3) break;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  ((volatile char*)bytes)[0] = 1;
}
int main(void) { RUN(first, second); }
