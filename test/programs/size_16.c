// A vector register's width.
// EXPECT race
#include "order.h"
typedef int Vector __attribute__((vector_size(16)));
Vector x;
static void first(void) {
  x = (Vector){1, 2, 3, 4};  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = (Vector){5, 6, 7, 8};  // race
}
int main(void) { RUN(first, second); }
