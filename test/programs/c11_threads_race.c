// EXPECT race
#include <threads.h>

#include "order.h"
int x;
static int child(void* argument) {
  (void)argument;
  x = 1;  // race
  reach(1);
  return 0;
}
int main(void) {
  thrd_t thread;
  MUST(thrd_create(&thread, child, NULL) == thrd_success);
  await(1);
  x = 2;  // race
  thrd_join(thread, NULL);
}
