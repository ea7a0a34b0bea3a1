// A new thread gets the thread-local storage of a dead one, without its history.
// EXPECT none
#include "order.h"
static __thread volatile int x[100];
static int ended;
static void body(void) {
  for (int i = 0; i < 100; ++i) x[i]++;
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}
int main(void) {
  for (int i = 0; i < 50; ++i) {
    pthread_detach(start(body));
    while (__atomic_load_n(&ended, __ATOMIC_RELAXED) <= i) sched_yield();
  }
}
