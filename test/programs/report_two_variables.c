// Two variables that race in the same function are two bugs; an array that does is one.
// EXPECT race
// HAS Location is global 'a'
// HAS Location is global 'b'
// HAS Location is global 'array'
// HAS reported 3 warnings
#include "order.h"
int a, b, array[50];
static __attribute__((noinline)) void set(int* variable) {
  *variable = 1;  // race 3
  __asm__ volatile("");
}
static void first(void) {
  set(&a);
  set(&b);
  for (int i = 0; i < 50; ++i) set(&array[i]);
  reach(1);
}
static void second(void) {
  await(1);
  set(&a);
  set(&b);
  for (int i = 0; i < 50; ++i) set(&array[i]);
}
int main(void) { RUN(first, second); }
