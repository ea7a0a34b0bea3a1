// The id of the first access's epoch must not be given to anybody while a word names it, least of all to the thread
// that makes the second one.
// EXPECT race
// OPTIONS epoch_chunks=64
#include "order.h"
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int x, others[2][64];
static void spend_epochs(int me) {
  for (int i = 0; i < 30000; ++i) {
    pthread_mutex_lock(&mutexes[me]);
    others[me][i % 64] += 1;
    pthread_mutex_unlock(&mutexes[me]);
  }
}
static void first(void) {
  x = 1;  // race
  spend_epochs(0);
  reach(1);
}
static void second(void) {
  await(1);
  spend_epochs(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
