// A thread that is cancelled while it waits for a condition has the mutex again when its cleanup runs.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int data;
static void cleanup(void* unused) {
  (void)unused;
  ++data;
  pthread_mutex_unlock(&mutex);
}
static void waiter(void) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(cleanup, 0);
  reach(1);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
}
int main(void) {
  pthread_t thread = start(waiter);
  await(1);
  pthread_mutex_lock(&mutex);  // it waits
  ++data;
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  pthread_join(thread, 0);
  return data == 2 ? 0 : 1;
}
