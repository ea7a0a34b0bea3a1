// Threads that end leave their stacks to the next ones, which know nothing of them.
// EXPECT none
#include "order.h"
static void body(void) {
  volatile int local[1000];
  for (int i = 0; i < 1000; ++i) local[i] = i;
  USE(local[999]);
}
static int ended;
static void counted(void) {
  body();
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}
int main(void) {
  for (int i = 0; i < 50; ++i) {
    pthread_detach(start(counted));
    while (__atomic_load_n(&ended, __ATOMIC_RELAXED) <= i) sched_yield();
  }
}
