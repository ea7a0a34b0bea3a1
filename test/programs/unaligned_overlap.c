// Eight bytes at an odd address reach over two words; they meet another thread's byte in the second.
// EXPECT race
#include "order.h"
struct __attribute__((packed)) {
  char pad[5];
  long value;
  char tail[19];
} x __attribute__((aligned(16)));
static void first(void) {
  x.value = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  ((char*)&x)[12] = 2;  // race
}
int main(void) { RUN(first, second); }
