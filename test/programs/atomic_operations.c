// Every read-modify-write acquires and releases.
// EXPECT none
#include "order.h"
int x;
unsigned turn;
static void body(void) {
  for (unsigned i = 0; i < 60; ++i) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) >> 16 != 0 ||
           __atomic_fetch_or(&turn, 0x10000, __ATOMIC_ACQ_REL) >> 16 != 0)
      sched_yield();
    x++;
    switch (i % 4) {
      case 0:
        __atomic_fetch_and(&turn, 0xffff, __ATOMIC_ACQ_REL);
        break;
      case 1:
        __atomic_fetch_sub(&turn, 0x10000, __ATOMIC_ACQ_REL);
        break;
      case 2:
        __atomic_fetch_xor(&turn, 0x10000, __ATOMIC_ACQ_REL);
        break;
      default:
        __atomic_fetch_add(&turn, 0xffff0000, __ATOMIC_ACQ_REL);
        break;
    }
  }
}
int main(void) { RUN(body, body); }
