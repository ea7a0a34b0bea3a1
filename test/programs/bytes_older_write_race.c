// A later write of one byte leaves the earlier one of its neighbours in force.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  *(volatile int*)&x.whole = 1;  // race
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  *(volatile char*)&x.bytes[0] = 2;
  reach(1);
}
static void second(void) {
  await(1);
  USE(*(volatile char*)&x.bytes[2]);  // race
}
int main(void) { RUN(first, second); }
