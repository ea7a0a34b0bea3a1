// Reads take no lock. One that comes to nothing, since ids are collected in its midst, leaves no id behind that stands for
// another thread's epoch by then.
// EXPECT none
// OPTIONS epoch_chunks=8
#include "order.h"
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct {
  int word;
  long two_words;
  char bytes[8];
  int atomic;
} mine;
static int others[2][64];
static int done;
static void spend_epochs(int me, int count) {
  for (int i = 0; i < count; ++i) {
    pthread_mutex_lock(&mutexes[me]);
    others[me][i % 64] += 1;
    pthread_mutex_unlock(&mutexes[me]);
  }
}
static void reader(void) {
  for (int i = 0; i < 50; ++i) {
    // Again in a later epoch, whose id is in another chunk; then a write that would meet the phantom.
    for (int twice = 0; twice < 2; ++twice) {
      USE(mine.word);
      USE(mine.two_words);
      USE(mine.bytes[3]);
      USE(__atomic_load_n(&mine.atomic, __ATOMIC_RELAXED));
      spend_epochs(0, 150);
    }
    mine.word = i;
    mine.two_words = i;
    mine.bytes[3] = (char)i;
    mine.atomic = i;
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
}
static void spender(void) {
  while (__atomic_load_n(&done, __ATOMIC_RELAXED) == 0) spend_epochs(1, 100);
}
int main(void) { RUN(reader, spender); }
