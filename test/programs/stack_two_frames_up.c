// A variable of a function that has called another one, which has called a third one that waits.
// EXPECT race
// HAS Location is stack of thread T1\.$
// HAS ^    Variable 'x' of owner, declared at .*/stack_two_frames_up.c:27$
// HAS #0 owner .*/stack_two_frames_up.c:
#include "order.h"
static int* shared;
static __attribute__((noinline)) void inner(void) {
  int x[5];  // not this one
  USE(x);
  reach(1);
  await(2);
  USE(x);
}
static __attribute__((noinline)) void middle(int depth) {
  volatile int x[100];  // nor this one
  x[depth] = 1;
  if (depth > 0)
    middle(depth - 1);
  else
    inner();
  USE(x[depth]);
}
static __attribute__((noinline)) void owner(void) {
  char before[24];
  USE(before);
  int x;
  __atomic_store_n(&shared, &x, __ATOMIC_RELAXED);
  x = 1;  // race
  middle(3);
  USE(&x);
}
int main(void) {
  const pthread_t thread = start(owner);
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  reach(2);
  join(thread);
}
