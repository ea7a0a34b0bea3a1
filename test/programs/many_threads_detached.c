// Twenty thousand threads that nobody ever synchronises with.
// EXPECT race
#include "order.h"
int x, ended;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void body(void) { __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED); }
int main(void) {
  pthread_detach(start(first));
  await(1);
  for (int i = 0; i < 20000; ++i) {
    pthread_detach(start(body));
    while (__atomic_load_n(&ended, __ATOMIC_RELAXED) <= i) sched_yield();
  }
  x = 2;  // race
}
