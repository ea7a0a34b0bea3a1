// A thread with the smallest stack there is may race.
// EXPECT race
#include <limits.h>

#include "order.h"
int x;
static void* body(void* argument) {
  await(1);
  x = 1;  // race
  return argument;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  MUST(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
  pthread_t thread;
  MUST(pthread_create(&thread, &attributes, body, NULL) == 0);
  x = 2;  // race
  reach(1);
  join(thread);
}
