// The function whose variable raced has returned, and the frame of another one has taken its place: neither is blamed.
// EXPECT race
// HAS Location is stack of thread T1\.$
// HASNOT Variable
// HASNOT #0 waits
#include "order.h"
static int* shared;
static __attribute__((noinline)) void gone(void) {
  int x[16];
  __atomic_store_n(&shared, &x[8], __ATOMIC_RELAXED);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;  // race
  USE(x);
}
static __attribute__((noinline)) void inner(void) {
  reach(1);
  await(2);
  __asm__ volatile("");
}
static __attribute__((noinline)) void waits(void) {
  int other[16];
  USE(other);
  inner();
  USE(other);
}
static void owner(void) {
  gone();
  waits();
}
int main(void) {
  const pthread_t thread = start(owner);
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  reach(2);
  join(thread);
}
