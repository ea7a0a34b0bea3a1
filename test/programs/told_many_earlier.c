// A write that races with nearly a thousand earlier accesses is told with all: here three lines on one object, of which
// the last comes after many others.
// EXPECT race
// HAS reported 3 warnings
#include "order.h"
#include <string.h>
static volatile int x[1000];
static volatile size_t bytes = sizeof x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void other_epoch(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void first(void) {
  for (int i = 0; i < 500; ++i) {
    x[i] = i;  // race a
    other_epoch();
  }
  for (int i = 500; i < 999; ++i) {
    x[i] = i;  // race b
    other_epoch();
  }
  x[999] = 1;  // race c
  reach(1);
}
static void second(void) {
  await(1);
  memset((void*)x, 0, bytes);  // race a // race b // race c
}
int main(void) { RUN(first, second); }
