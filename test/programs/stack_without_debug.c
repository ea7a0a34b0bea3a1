// Without debug information the function is named from the symbol table, and no variable.
// EXPECT race
// FLAGS -g0
// MARKS stack_without_debug.marks
// HAS Location is stack of main thread\.$
// HAS #0 main <null> \(stack_without_debug\+
// HASNOT Variable
#include "order.h"
static void* first(void* x) {
  await(1);
  *(int*)x = 1;
  reach(2);
  return NULL;
}
static void* second(void* x) {
  await(2);
  *(int*)x = 2;
  return NULL;
}
int main(void) {
  int counter;
  pthread_t one, two;
  MUST(pthread_create(&one, NULL, first, &counter) == 0);
  MUST(pthread_create(&two, NULL, second, &counter) == 0);
  reach(1);
  MUST(pthread_join(one, NULL) == 0);
  MUST(pthread_join(two, NULL) == 0);
  USE(&counter);
}
