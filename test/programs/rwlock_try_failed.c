// EXPECT race
#include "order.h"
int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void first(void) {
  x = 1;  // race
  pthread_rwlock_wrlock(&lock);
  reach(1);
  await(2);
  pthread_rwlock_unlock(&lock);
}
static void second(void) {
  await(1);
  MUST(pthread_rwlock_tryrdlock(&lock) != 0);
  MUST(pthread_rwlock_trywrlock(&lock) != 0);
  x = 2;  // race
  reach(2);
}
int main(void) { RUN(first, second); }
