// A cycle of three locks over three threads.
// EXPECT report
// HAS Cycle in lock order graph: M0 .* => M1 .* => M2 .* => M0
#include "order.h"
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void both(int x, int y) {
  await(x);
  pthread_mutex_lock(&m[x]);
  pthread_mutex_lock(&m[y]);
  pthread_mutex_unlock(&m[y]);
  pthread_mutex_unlock(&m[x]);
  reach(x + 1);
}
static void first(void) { both(0, 1); }
static void second(void) { both(1, 2); }
static void third(void) { both(2, 0); }
int main(void) { RUN(first, second, third); }
