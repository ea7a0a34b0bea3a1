// EXPECT race
// HAS #[0-9] .*start_painter .*report_creation_stack.c
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
__attribute__((noinline)) static pthread_t start_painter(void) {
  pthread_t thread = start(first);
  USE(thread);
  return thread;
}
int main(void) {
  pthread_t thread = start_painter();
  await(1);
  x = 2;  // race
  join(thread);
}
