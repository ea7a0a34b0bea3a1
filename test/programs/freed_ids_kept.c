// Epochs are collected between the free and the use: what is freed keeps the one of its free.
// EXPECT race
// OPTIONS epoch_chunks=16
// HAS Previous write of size 8 at 0x[0-9a-f]+ by thread T1
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HASNOT race with free
#include "order.h"
static int* volatile small, * volatile large;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data;
static void first(void) {
  free(small);  // race small
  free(large);  // race large
}
static void others(void) {
  for (int i = 0; i < 5000; ++i) {
    pthread_mutex_lock(&mutex);
    ++data;
    pthread_mutex_unlock(&mutex);
  }
}
static void last(void) {
  USE(small[3]);     // race small
  USE(large[7000]);  // race large
}
int main(void) {
  small = malloc(40);
  large = malloc(40000);
  USE(malloc(40));
  join(start(first));
  RUN(others, others);
  RUN(last, others);
}
