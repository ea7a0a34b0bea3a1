// A thread that can be cancelled at any time, also within the run time.
#include <pthread.h>

void* compute_until_cancelled(void* ready) {
  static __thread volatile long values[4096];
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  __atomic_store_n((int*)ready, 1, __ATOMIC_RELAXED);
  for (long i = 0;; ++i) values[i % 4096] = values[(i + 3) % 4096] + i;
}
