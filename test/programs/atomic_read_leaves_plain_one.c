// An atomic read does not stand for the plain one before it: an atomic write races with that.
// EXPECT race
#include "order.h"
static int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  USE(*(volatile int*)&x);  // race
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  USE(__atomic_load_n(&x, __ATOMIC_RELAXED));
  reach(1);
}
static void second(void) {
  await(1);
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);  // race
}
int main(void) { RUN(first, second); }
