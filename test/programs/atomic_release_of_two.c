// A releasing read-modify-write adds to what was released before it: the reader knows both.
// EXPECT none
#include "order.h"
int x, y, flag;
static void first(void) {
  x = 1;
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
  reach(1);
}
static void third(void) {
  await(1);
  y = 1;
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
  reach(2);
}
static void second(void) {
  await(2);
  MUST(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2);
  USE(x);
  USE(y);
}
int main(void) { RUN(first, second, third); }
