// A thread that is cancelled at any time is also cancelled within the run time: it leaves no lock behind.
// EXPECT race
// MARKS race.h
#include "race.h"
static int ready;
static void* compute(void* unused) {
  static __thread volatile long values[4096];
  int old;
  (void)unused;
  MUST(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
  __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
  for (long i = 0;; ++i) values[i % 4096] = values[(i + 3) % 4096] + i;
}
int main(void) {
  for (int i = 0; i < 300; ++i) {
    pthread_t thread;
    void* result;
    __atomic_store_n(&ready, 0, __ATOMIC_RELAXED);
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
    while (__atomic_load_n(&ready, __ATOMIC_RELAXED) == 0) sched_yield();
    MUST(pthread_cancel(thread) == 0);
    MUST(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  }
  race();
}
