// The lock is taken before the other's unlock could tell anything: no edge backwards.
// EXPECT race
#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  reach(1);
  await(2);
  USE(x);  // race
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  x = 2;  // race
  pthread_mutex_unlock(&mutex);
  reach(2);
}
int main(void) { RUN(first, second); }
