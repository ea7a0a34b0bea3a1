// Lock orders are found however many locks are held.
// EXPECT report
// HAS lock-order-inversion
#include "order.h"
enum { kLocks = 200 };
static pthread_mutex_t locks[kLocks];
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&a);
  for (int i = 0; i < kLocks; ++i) pthread_mutex_lock(&locks[i]);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  for (int i = 0; i < kLocks; ++i) pthread_mutex_unlock(&locks[i]);
  pthread_mutex_unlock(&a);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}
int main(void) {
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&locks[i], 0);
  RUN(first, second);
}
