// Ints at addresses that are no multiple of 4, in code that lets the compiler believe they are. Whatever the state of
// their words and whatever the number of the thread's epoch is, none is taken for an access that was made before.
// EXPECT race
// OPTIONS suppress_equal_addresses=0:suppress_equal_stacks=0
#include "order.h"
enum { kWords = 400 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) char x[8 * kWords + 8];
// Some bytes by an atomic operation: the word's state is a record, the same for all words.
static void first(void) {
  for (int i = 1; i <= kWords; ++i) (void)__atomic_load_n(x + 8 * i + 2, __ATOMIC_RELAXED);  // race 400
  reach(1);
}
static void second(void) {
  await(1);
  for (int i = 1; i <= kWords; ++i) {
    *(volatile int*)(x + 8 * i - 1) = 1;  // race 400
    pthread_mutex_lock(&mutex);           // the next one is in another epoch
    pthread_mutex_unlock(&mutex);
  }
}
int main(void) { RUN(first, second); }
