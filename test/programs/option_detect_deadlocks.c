// EXPECT none
// OPTIONS detect_deadlocks=0
#include "order.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t* x, pthread_mutex_t* y) {
  pthread_mutex_lock(x);
  pthread_mutex_lock(y);
  pthread_mutex_unlock(y);
  pthread_mutex_unlock(x);
}
static void first(void) { both(&a, &b); }
static void second(void) { both(&b, &a); }
int main(void) {
  RUN(first);
  RUN(second);
}
