// A reader's unlock tells other readers nothing.
// EXPECT race
// HAS mutexes: read M
#include "order.h"
int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void first(void) {
  pthread_rwlock_rdlock(&lock);
  x = 1;  // race
  pthread_rwlock_unlock(&lock);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_rwlock_rdlock(&lock);
  x = 2;  // race
  pthread_rwlock_unlock(&lock);
}
int main(void) { RUN(first, second); }
