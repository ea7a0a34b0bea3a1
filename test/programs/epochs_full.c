// A thread that begins when no epoch has an id left orders others as any thread does.
// EXPECT none
// OPTIONS epoch_chunks=4
// HAS deadheat: all 2\^27 epochs are in use: from here on races may be missed
#include "order.h"
int x, y;
static int to_relay, to_last;
static void* last(void* unused) {
  reach(1);
  while (__atomic_load_n(&to_last, __ATOMIC_ACQUIRE) == 0) sched_yield();
  x = 2;
  y = 3;
  return unused;
}
static void* idle(void* unused) {
  reach(2);
  await(4);
  return unused;
}
static void* relay(void* unused) {
  reach(3);
  while (__atomic_load_n(&to_relay, __ATOMIC_ACQUIRE) == 0) sched_yield();
  y = 2;
  __atomic_store_n(&to_last, 1, __ATOMIC_RELEASE);
  return unused;
}
int main(void) {
  void* (*const bodies[3])(void*) = {last, idle, relay};  // the first two take the ids that are left
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    MUST(pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
    await(i + 1);
  }
  x = 1;
  y = 1;
  __atomic_store_n(&to_relay, 1, __ATOMIC_RELEASE);
  reach(4);
  for (int i = 0; i < 3; ++i) MUST(pthread_join(threads[i], NULL) == 0);
}
