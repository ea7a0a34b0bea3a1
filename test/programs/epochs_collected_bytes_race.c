// The ids of the epochs in which the bytes of a word were read must not be given to anybody while the word has them.
// EXPECT race
// OPTIONS epoch_chunks=64:suppress_equal_stacks=0:suppress_equal_addresses=0
#include "order.h"
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int others[2][64];
static char bytes[4] __attribute__((aligned(4)));
static void spend_epochs(int me, int count) {
  for (int i = 0; i < count; ++i) {
    pthread_mutex_lock(&mutexes[me]);
    others[me][i % 64] += 1;
    pthread_mutex_unlock(&mutexes[me]);
  }
}
static void first(void) {
  for (int i = 0; i < 4; ++i) {
    USE(((volatile char*)bytes)[i]);  // race 4
    spend_epochs(0, 200);
  }
  reach(1);
}
static void second(void) {
  await(1);
  spend_epochs(1, 60000);
  for (int i = 0; i < 4; ++i) ((volatile char*)bytes)[i] = 1;  // race 4
}
int main(void) { RUN(first, second); }
