// A variable on another thread's stack.
// EXPECT race
// HAS Location is stack of (main thread|thread T)
#include "order.h"
int* x;
static void child(void) {
  await(1);
  *__atomic_load_n(&x, __ATOMIC_RELAXED) = 1;  // race
  reach(2);
}
int main(void) {
  pthread_t thread = start(child);
  volatile int local;
  __atomic_store_n(&x, (int*)&local, __ATOMIC_RELAXED);
  local = 2;  // race
  reach(1);
  await(2);
  join(thread);
}
