// Two unaligned ints that share one byte.
// EXPECT race
#include "order.h"
_Alignas(8) char x[16];
struct __attribute__((packed)) Int {
  int value;
};
static void first(void) {
  ((struct Int*)(x + 1))->value = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  ((struct Int*)(x + 4))->value = 2;  // race
}
int main(void) { RUN(first, second); }
