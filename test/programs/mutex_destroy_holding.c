// The destruction of a mutex is not ordered after another thread's last use; another lock is held meanwhile.
// EXPECT race
// HAS mutexes: write M
#include "order.h"
static pthread_mutex_t mutex, other = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&mutex);  // race
  pthread_mutex_unlock(&mutex);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&other);
  pthread_mutex_destroy(&mutex);  // race
  pthread_mutex_unlock(&other);
}
int main(void) {
  pthread_mutex_init(&mutex, NULL);
  RUN(first, second);
}
