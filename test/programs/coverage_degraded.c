// EXPECT none
// OPTIONS coverage=1:epoch_chunks=4
// HAS degraded from [0-9]+\.[0-9]{3} s on: [0-9]{3,} synchronisations without an epoch of their own
// HASNOT degraded: nothing
// What does not fit is told with its amount: here more epochs that memory remembers than there are (four times 64).
#include "order.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int data[2000];

static void* writer(void* unused) {
  for (int i = 0; i < 2000; ++i) {
    pthread_mutex_lock(&mutex);
    data[i] = i;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  pthread_join(thread, 0);
  return 0;
}
