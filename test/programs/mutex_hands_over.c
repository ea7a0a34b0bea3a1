// An unlock and a later lock order everything around them.
// EXPECT none
#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;
}
int main(void) { RUN(first, second); }
