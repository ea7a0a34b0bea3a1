// EXPECT none
#include <stdatomic.h>

#include "order.h"
int x;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static void body(void) {
  for (int i = 0; i < 100; ++i) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) sched_yield();
    x++;
    atomic_flag_clear_explicit(&lock, memory_order_release);
  }
}
int main(void) { RUN(body, body); }
