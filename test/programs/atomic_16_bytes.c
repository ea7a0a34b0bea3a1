// EXPECT none
// FLAGS -mcx16 -latomic
#include "order.h"
int x;
_Alignas(16) __int128 flag;
static void first(void) {
  x = 1;
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
}
static void second(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) sched_yield();
  USE(x);
}
int main(void) { RUN(first, second); }
