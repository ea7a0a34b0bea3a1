// An initialiser that is cancelled comes before the next one to try.
// EXPECT none
#include "order.h"
static pthread_once_t once = PTHREAD_ONCE_INIT;
int tries;
static void initialise(void) {
  if (++tries > 1) return;
  reach(1);
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}
static void first(void) { pthread_once(&once, initialise); }
static void second(void) {
  await(2);
  pthread_once(&once, initialise);
  MUST(tries == 2);
}
int main(void) {
  pthread_t one = start(first), two = start(second);
  await(1);
  pthread_cancel(one);
  reach(2);
  join(one);
  join(two);
}
