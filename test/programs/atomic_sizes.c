// Atomics of one to eight bytes order alike.
// EXPECT none
#include "order.h"
int x[4];
uint8_t f1;
uint16_t f2;
uint32_t f4;
uint64_t f8;
static void first(void) {
  x[0] = 1;
  __atomic_store_n(&f1, 1, __ATOMIC_RELEASE);
  x[1] = 1;
  __atomic_store_n(&f2, 1, __ATOMIC_RELEASE);
  x[2] = 1;
  __atomic_store_n(&f4, 1, __ATOMIC_RELEASE);
  x[3] = 1;
  __atomic_store_n(&f8, 1, __ATOMIC_RELEASE);
}
static void second(void) {
  while (!__atomic_load_n(&f1, __ATOMIC_ACQUIRE)) sched_yield();
  USE(x[0]);
  while (!__atomic_load_n(&f2, __ATOMIC_ACQUIRE)) sched_yield();
  USE(x[1]);
  while (!__atomic_load_n(&f4, __ATOMIC_ACQUIRE)) sched_yield();
  USE(x[2]);
  while (!__atomic_load_n(&f8, __ATOMIC_ACQUIRE)) sched_yield();
  USE(x[3]);
}
int main(void) { RUN(first, second); }
