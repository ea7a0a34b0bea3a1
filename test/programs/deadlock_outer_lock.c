// Under a common outer lock the two orders never meet.
// EXPECT none
#include "order.h"
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t* x, pthread_mutex_t* y) {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(x);
  pthread_mutex_lock(y);
  pthread_mutex_unlock(y);
  pthread_mutex_unlock(x);
  pthread_mutex_unlock(&outer);
}
static void first(void) { both(&a, &b); }
static void second(void) { both(&b, &a); }
int main(void) { RUN(first, second); }
