// Where nothing orders the use after the free it stays a race.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(race with free\) \(pid=
// HASNOT heap-use-after-free \(pid=
#include "order.h"
int* volatile x;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, another = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&one);
  free(x);  // race
  pthread_mutex_unlock(&one);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&another);
  USE(x[2]);  // race
  pthread_mutex_unlock(&another);
}
int main(void) {
  x = malloc(40);
  RUN(first, second);
}
