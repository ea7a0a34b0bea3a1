// A writer knows what all readers did before.
// EXPECT none
#include "order.h"
int x, y;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void first(void) {
  x = 1;
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  reach(1);
}
static void second(void) {
  await(1);
  y = 1;
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  reach(2);
}
static void writer(void) {
  await(2);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  x = 2;
  y = 2;
}
int main(void) { RUN(first, second, writer); }
