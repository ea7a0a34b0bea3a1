// Of several atomic writes that nothing orders, each is remembered.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void first(void) {
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);  // race
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
  reach(2);
}
static void third(void) {
  await(2);
  pthread_mutex_lock(&mutex);
  USE(*(volatile int*)&x);  // race
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(first, second, third); }
