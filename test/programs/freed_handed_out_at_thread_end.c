// Memory that is handed out at the very end of a thread, where it is not seen any more, is not freed either.
// EXPECT none
#include <limits.h>

#include "order.h"
static pthread_key_t key;
static long *freed, *volatile taken;
static int rounds;
static void at_end(void* value) {
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(key, value);
  else
    taken = malloc(400);
}
static void first(void) {
  pthread_setspecific(key, &key);
  freed = malloc(400);
  free(freed);
}
static void other(void) { await(1); }
int main(void) {
  pthread_t one = start(other);  // what we do at the end of threads has its place before the key
  MUST(pthread_key_create(&key, at_end) == 0);
  join(start(first));
  MUST(taken == freed);
  for (int i = 0; i < 50; ++i) taken[i] = i;
  reach(1);
  join(one);
  for (int i = 0; i < 50; ++i) USE(taken[i]);
}
