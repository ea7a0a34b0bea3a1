// A thread ordered after the plain write may read atomically beside later atomic writes.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long x;
static void first(void) {
  *(volatile long*)&x = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  USE(__atomic_load_n(&x, __ATOMIC_RELAXED));
  __atomic_store_n(&x, 3, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(first, second); }
