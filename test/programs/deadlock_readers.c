// Readers do not wait for readers.
// EXPECT none
#include "order.h"
static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
static void both(pthread_rwlock_t* x, pthread_rwlock_t* y) {
  pthread_rwlock_rdlock(x);
  pthread_rwlock_rdlock(y);
  pthread_rwlock_unlock(y);
  pthread_rwlock_unlock(x);
}
static void first(void) { both(&a, &b); }
static void second(void) { both(&b, &a); }
int main(void) { RUN(first, second); }
