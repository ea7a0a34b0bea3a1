// Atomic accesses never race with each other, also of different sizes.
// EXPECT none
#include "order.h"
union {
  uint32_t word;
  uint8_t bytes[4];
} x;
static void first(void) {
  for (int i = 0; i < 100; ++i) __atomic_fetch_add(&x.word, 1, __ATOMIC_RELAXED);
}
static void second(void) {
  for (int i = 0; i < 100; ++i) __atomic_store_n(&x.bytes[1], 1, __ATOMIC_RELAXED);
}
int main(void) { RUN(first, second); }
