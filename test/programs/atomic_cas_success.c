// EXPECT none
#include "order.h"
int x;
long lock;
static void body(void) {
  for (int i = 0; i < 100; ++i) {
    long expected = 0;
    while (!__atomic_compare_exchange_n(&lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      expected = 0;
      sched_yield();
    }
    x++;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  }
}
int main(void) { RUN(body, body); }
