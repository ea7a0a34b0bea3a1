// The same place on a stack is another variable in the next call.
// EXPECT none
#include "order.h"
int* x;
__attribute__((noinline)) static void lend(void) {
  volatile int local = 1;
  __atomic_store_n(&x, (int*)&local, __ATOMIC_RELEASE);
  reach(1);
  await(2);
  __atomic_load_n(&order_step, __ATOMIC_ACQUIRE);
}
__attribute__((noinline)) static void other(void) {
  volatile int local[16];
  for (int i = 0; i < 16; ++i) local[i] = i;
  USE(local);
}
static void child(void) {
  await(1);
  *__atomic_load_n(&x, __ATOMIC_ACQUIRE) = 2;
  __atomic_store_n(&order_step, 2, __ATOMIC_RELEASE);
}
int main(void) {
  pthread_t thread = start(child);
  lend();
  other();
  join(thread);
}
