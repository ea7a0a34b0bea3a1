// A structure that was passed in memory lies in the caller's part of the stack, and is the called function's all the
// same.
// EXPECT race
// HAS Location is stack of main thread\.$
// HAS ^    Variable 'box\.content\[5\]' of take, declared at .*/stack_parameter.c:17
#include "order.h"
static int* shared;
struct Box {
  int content[10];
};
static void* child(void* nothing) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;  // race
  reach(2);
  return nothing;
}
static __attribute__((noinline)) void take(struct Box box) {
  USE(&box);
  __atomic_store_n(&shared, &box.content[5], __ATOMIC_RELAXED);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  reach(1);
  await(2);
  USE(&box);
}
int main(void) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, child, NULL) == 0);
  struct Box box = {{0}};
  USE(&box);
  take(box);
  join(thread);
}
