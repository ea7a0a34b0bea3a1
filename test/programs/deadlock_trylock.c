// A thread that only tries gives up: no deadlock.
// EXPECT none
#include "order.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&b);
  MUST(pthread_mutex_trylock(&a) == 0);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}
int main(void) { RUN(first, second); }
