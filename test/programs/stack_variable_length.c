// An array whose length is known at run time only lies where debug information cannot say by itself: the thread is
// named, and no wrong variable.
// EXPECT race
// HAS Location is stack of main thread\.$
// HASNOT Variable '(before|pad)
#include "order.h"
static int* shared;
static void* child(void* nothing) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;  // race
  reach(2);
  return nothing;
}
static __attribute__((noinline)) void wait_for_child(void) {
  char pad[40];
  USE(pad);
  reach(1);
  await(2);
  USE(pad);
}
static __attribute__((noinline)) void owner(int n) {
  char before[24];
  USE(before);
  int numbers[n];
  USE(numbers);
  __atomic_store_n(&shared, &numbers[n / 2], __ATOMIC_RELAXED);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  wait_for_child();
  USE(numbers);
}
int main(void) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, child, NULL) == 0);
  owner(40);
  join(thread);
}
