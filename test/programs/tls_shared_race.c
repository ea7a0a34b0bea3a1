// A thread-local variable that another thread got the address of.
// EXPECT race
// HAS Location is TLS of
#include "order.h"
static __thread volatile int x;
static int* shared;
static void first(void) {
  __atomic_store_n(&shared, (int*)&x, __ATOMIC_RELAXED);
  x = 1;  // race
  reach(1);
  await(2);
}
static void second(void) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  reach(2);
}
int main(void) { RUN(first, second); }
