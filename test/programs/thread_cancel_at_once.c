// Threads that are cancelled at any time, while signals come to them: none is cancelled in the middle of the run time,
// where it holds locks.
// EXPECT none
#include <signal.h>

#include "order.h"
enum { kThreads = 300,
       kWords = 256 };
static int words[kWords], handled, round_begun;
static void handler(int number) {
  (void)number;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}
static void change_words(void) {
  for (int i = 0; i < kWords; ++i) __atomic_fetch_add(&words[i], 1, __ATOMIC_RELAXED);
}
static void* body(void* round) {
  MUST(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
  __atomic_store_n(&round_begun, (int)(intptr_t)round, __ATOMIC_RELAXED);
  for (;;) change_words();
}
int main(void) {
  signal(SIGUSR1, handler);
  for (int round = 1; round <= kThreads; ++round) {
    pthread_t thread;
    void* result;
    MUST(pthread_create(&thread, NULL, body, (void*)(intptr_t)round) == 0);
    while (__atomic_load_n(&round_begun, __ATOMIC_RELAXED) < round) sched_yield();
    MUST(pthread_kill(thread, SIGUSR1) == 0);
    MUST(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    change_words();
  }
}
