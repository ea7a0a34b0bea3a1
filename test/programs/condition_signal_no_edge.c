// A signal alone orders nothing: the mutex does.
// EXPECT race
#include "order.h"
int x, ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void waiter(void) {
  pthread_mutex_lock(&mutex);
  reach(1);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  await(2);
  USE(x);  // race
}
static void signaller(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;  // race
  pthread_cond_signal(&condition);
  reach(2);
}
int main(void) { RUN(waiter, signaller); }
