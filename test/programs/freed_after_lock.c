// A thread uses what another freed before it under the same lock: no race, and a bug all the same.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS by thread T2 \(mutexes: write M[0-9]+\):
// HASNOT race with free
#include "order.h"
int* volatile x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&mutex);
  free(x);  // race
  pthread_mutex_unlock(&mutex);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  USE(x[2]);  // race
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  x = malloc(40);
  RUN(first, second);
}
