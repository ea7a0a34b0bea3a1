// The same in C: two threads race on a variable of main, which waits in pthread_join.
// EXPECT race
// HAS Location is stack of main thread\.$
// HAS ^    Variable 'counter' of main, declared at .*/stack_main_in_pthread_join.c:21$
// HAS #0 main .*/stack_main_in_pthread_join.c:
#include "order.h"
static void* first(void* x) {
  await(1);
  *(int*)x = 1;  // race
  reach(2);
  return NULL;
}
static void* second(void* x) {
  await(2);
  *(int*)x = 2;  // race
  return NULL;
}
int main(void) {
  char before[40];
  USE(before);
  int counter;
  pthread_t one, two;
  MUST(pthread_create(&one, NULL, first, &counter) == 0);
  MUST(pthread_create(&two, NULL, second, &counter) == 0);
  reach(1);
  MUST(pthread_join(one, NULL) == 0);
  MUST(pthread_join(two, NULL) == 0);
  USE(&counter);
}
