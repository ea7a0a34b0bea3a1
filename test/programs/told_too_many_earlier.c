// A write that races with more earlier accesses than can be told at once: the rest is counted.
// EXPECT none
// OPTIONS exitcode=0:suppress_equal_stacks=0:symbolize=0:coverage=1:log_path=@TMP@/counts
// COMMAND rm -f counts.*; @PROGRAM@; grep -h 'degraded\|reported' counts.* >&2
// HAS : 76 races of an access with more than 1024 earlier ones, which were not told
// HAS reported 1024 warnings
#include <string.h>

#include "order.h"
static volatile int x[1100];
static volatile size_t bytes = sizeof x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  for (int i = 0; i < 1100; ++i) {
    x[i] = i;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  reach(1);
}
static void second(void) {
  await(1);
  memset((void*)x, 0, bytes);
}
int main(void) { RUN(first, second); }
