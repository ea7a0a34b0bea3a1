// Two threads take two locks in different orders: this run gets away with it.
// EXPECT report
// HAS WARNING: ThreadSanitizer: lock-order-inversion \(potential deadlock\)
// HAS Cycle in lock order graph: M0 .* => M1 .* => M0
// HAS Mutex M1 acquired here while holding mutex M0 in thread T2
// HAS Mutex M0 acquired here while holding mutex M1 in thread T1
// HAS #1 first .*deadlock_two.c:14
// HAS #1 second .*deadlock_two.c:22
// HAS previously acquired by the same thread here
// OPTIONS second_deadlock_stack=1
#include "order.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&a), pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
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
int main(void) { RUN(first, second); }
