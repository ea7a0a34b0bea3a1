// A write that races with thousands of earlier accesses is told with all lines, however late one comes.
// EXPECT race
// HAS reported 3 warnings
#include <string.h>

#include "order.h"
static volatile int x[4000];
static volatile size_t bytes = sizeof x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void other_epoch(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void first(void) {
  for (int i = 0; i < 2000; ++i) {
    x[i] = i;  // race a
    other_epoch();
  }
  for (int i = 2000; i < 3999; ++i) {
    x[i] = i;  // race b
    other_epoch();
  }
  x[3999] = 1;  // race c
  reach(1);
}
static void second(void) {
  await(1);
  memset((void*)x, 0, bytes);  // race a // race b // race c
}
int main(void) { RUN(first, second); }
