// With the option explain a lock that a thread takes right after its access counts as a step after it.
// EXPECT race
// OPTIONS explain=1
// HAS Thread T1 last synchronised before its access by unlocking M0 at .*explain_steps.c:13; after it, first by locking M1 at .*explain_steps.c:15\.
#include "order.h"

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int x;

static void* early(void* unused) {
  pthread_mutex_lock(&guard);
  x = 0;
  pthread_mutex_unlock(&guard);
  x = 1;  // race
  pthread_mutex_lock(&other);
  reach(1);
  await(2);
  pthread_mutex_unlock(&other);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, early, 0);
  await(1);
  x = 2;  // race
  reach(2);
  pthread_join(a, 0);
}
