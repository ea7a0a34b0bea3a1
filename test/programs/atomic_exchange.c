// A lock made of an exchange.
// EXPECT none
#include "order.h"
int x;
char lock;
static void body(void) {
  for (int i = 0; i < 100; ++i) {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
    x++;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  }
}
int main(void) { RUN(body, body); }
