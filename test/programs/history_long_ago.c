// Between the two accesses lie a million others and a hundred thousand critical sections.
// EXPECT race
#include "order.h"
int x, y[1000];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 0; i < 100000; ++i) {
    pthread_mutex_lock(&mutex);
    for (int j = 0; j < 10; ++j) y[(i + j) % 1000] = i;
    pthread_mutex_unlock(&mutex);
  }
  x = 2;  // race
}
int main(void) { RUN(first, second); }
