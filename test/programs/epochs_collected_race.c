// The first access was made long before its epoch's neighbours were given up and their ids used again.
// EXPECT race
// OPTIONS epoch_chunks=64
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x, others[64];
static void first(void) {
  x = 1;  // race
  reach(1);
  for (int i = 0; i < 60000; ++i) {
    pthread_mutex_lock(&mutex);
    others[i % 64] += 1;
    pthread_mutex_unlock(&mutex);
  }
  reach(2);
}
static void second(void) {
  await(2);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
