// EXPECT report
// HAS WARNING: ThreadSanitizer: unlock of an unlocked mutex \(or by a wrong thread\)
// HAS #1 second .*mutex_unlock_foreign.c:12
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&mutex);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_unlock(&mutex);
}
int main(void) { RUN(first, second); }
