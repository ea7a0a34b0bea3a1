// EXPECT none
#include "order.h"
int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void writer(void) {
  for (int i = 0; i < 100; ++i) {
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
  }
}
static void reader(void) {
  for (int i = 0; i < 100; ++i) {
    pthread_rwlock_rdlock(&lock);
    USE(x);
    pthread_rwlock_unlock(&lock);
  }
}
int main(void) { RUN(writer, reader, reader, writer); }
