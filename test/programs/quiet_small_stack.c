// A thread with the smallest stack there is.
// EXPECT none
#include <limits.h>

#include "order.h"
int x;
static void* body(void* argument) {
  x = 1;
  return argument;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  MUST(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
  pthread_t thread;
  MUST(pthread_create(&thread, &attributes, body, NULL) == 0);
  join(thread);
  x = 2;
}
