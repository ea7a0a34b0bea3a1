// EXPECT none
#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void body(void) {
  while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
  x++;
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(body, body); }
