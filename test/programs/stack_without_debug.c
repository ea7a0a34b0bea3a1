// Without debug information the function is named from the symbol table, and no variable.
// EXPECT none
// FLAGS -g0
// COMMAND @PROGRAM@ 2>report; grep -A1 'stack of main thread.$' report | grep -q '#0 main <null> ' && ! grep -q Var report
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
