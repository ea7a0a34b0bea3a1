// EXPECT none
// ONLY matrix
#include "order.h"
int x, ended;
static void body(void) { __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED); }
int main(void) {
  for (int i = 0; i < 300000; ++i) {
    pthread_detach(start(body));
    while (__atomic_load_n(&ended, __ATOMIC_RELAXED) <= i) sched_yield();
  }
}
