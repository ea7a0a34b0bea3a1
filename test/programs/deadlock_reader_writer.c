// A writer that waits for a reader, and the other way round.
// EXPECT report
// HAS lock-order-inversion
#include "order.h"
static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
static void first(void) {
  pthread_rwlock_rdlock(&a);
  pthread_rwlock_wrlock(&b);
  pthread_rwlock_unlock(&b);
  pthread_rwlock_unlock(&a);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_rwlock_rdlock(&b);
  pthread_rwlock_wrlock(&a);
  pthread_rwlock_unlock(&a);
  pthread_rwlock_unlock(&b);
}
int main(void) { RUN(first, second); }
