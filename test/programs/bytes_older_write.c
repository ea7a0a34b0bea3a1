// A thread ordered after the write of the whole word may read the bytes that a later write, which it does not come after, did
// not touch.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  *(volatile int*)&x.whole = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  *(volatile char*)&x.bytes[0] = 2;
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  USE(*(volatile char*)&x.bytes[2]);
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(first, second); }
