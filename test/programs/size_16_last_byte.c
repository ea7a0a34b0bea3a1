// A wide write meets a byte at its very end.
// EXPECT race
// HAS Write of size 1
#include "order.h"
typedef int Vector __attribute__((vector_size(16)));
union {
  Vector vector;
  char bytes[32];
} x;
static void first(void) {
  x.vector = (Vector){1, 2, 3, 4};  // race
  reach(1);
}
static void second(void) {
  await(1);
  x.bytes[15] = 2;  // race
}
int main(void) { RUN(first, second); }
