// A lock that is gone has no order with one that comes at its address.
// EXPECT none
#include "order.h"
static pthread_mutex_t a, b;
static void both(pthread_mutex_t* x, pthread_mutex_t* y) {
  pthread_mutex_lock(x);
  pthread_mutex_lock(y);
  pthread_mutex_unlock(y);
  pthread_mutex_unlock(x);
}
static void first(void) { both(&a, &b); }
static void second(void) { both(&b, &a); }
int main(void) {
  pthread_mutex_init(&a, NULL);
  pthread_mutex_init(&b, NULL);
  RUN(first);
  pthread_mutex_destroy(&a);
  pthread_mutex_init(&a, NULL);
  RUN(second);
}
