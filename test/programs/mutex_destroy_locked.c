// EXPECT report
// HAS WARNING: ThreadSanitizer: destroy of a locked mutex
// HAS #0 pthread_mutex_destroy
// HAS #0 pthread_mutex_lock
// HAS #0 pthread_mutex_init
#include "order.h"
int main(void) {
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_destroy(&mutex);
}
