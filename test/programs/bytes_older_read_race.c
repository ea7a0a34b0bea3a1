// A later read of one byte leaves the earlier one of its neighbours in force.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  USE(*(volatile int*)&x.whole);  // race
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  USE(*(volatile char*)&x.bytes[0]);
  reach(1);
}
static void second(void) {
  await(1);
  *(volatile char*)&x.bytes[2] = 1;  // race
}
int main(void) { RUN(first, second); }
