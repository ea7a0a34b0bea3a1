// Far more epochs than there are ids for: ids that nothing names any more are used again, and nothing is invented.
// EXPECT none
// OPTIONS epoch_chunks=64
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int words[64];
char bytes[64];
static void body(void) {
  for (int i = 0; i < 60000; ++i) {
    pthread_mutex_lock(&mutex);
    words[i % 64] += 1;
    bytes[i % 61] += 1;
    USE(words[i * 7 % 64]);
    pthread_mutex_unlock(&mutex);
  }
}
int main(void) { RUN(body, body); }
