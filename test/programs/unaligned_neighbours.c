// The bytes just before and just after an unaligned long are free.
// EXPECT none
#include "order.h"
struct __attribute__((packed)) {
  char pad[5];
  long value;
  char tail[19];
} x __attribute__((aligned(16)));
static void first(void) {
  x.value = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x.pad[4] = 2;
  x.tail[0] = 2;
}
int main(void) { RUN(first, second); }
