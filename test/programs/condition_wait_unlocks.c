// A wait gives the mutex away: what was done before it is known to the next owner.
// EXPECT none
#include "order.h"
int x, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void waiter(void) {
  pthread_mutex_lock(&mutex);
  x = 1;
  reach(1);
  while (!done) pthread_cond_wait(&condition, &mutex);
  x = 3;
  pthread_mutex_unlock(&mutex);
}
static void other(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  x = 2;
  done = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(waiter, other); }
