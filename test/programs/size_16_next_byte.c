// The byte behind a wide write is another variable.
// EXPECT none
#include "order.h"
typedef int Vector __attribute__((vector_size(16)));
union {
  Vector vector;
  char bytes[32];
} x;
static void first(void) {
  x.vector = (Vector){1, 2, 3, 4};
  reach(1);
}
static void second(void) {
  await(1);
  x.bytes[16] = 2;
}
int main(void) { RUN(first, second); }
