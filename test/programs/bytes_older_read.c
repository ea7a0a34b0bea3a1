// A thread ordered after the read of the whole word may write the bytes that a later read, which it does not come after, did
// not touch.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  USE(*(volatile int*)&x.whole);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  USE(*(volatile char*)&x.bytes[0]);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  *(volatile char*)&x.bytes[2] = 1;
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(first, second); }
