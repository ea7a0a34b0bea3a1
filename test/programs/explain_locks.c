// With the option explain a report says what both threads did last to order themselves, and what other accesses held.
// EXPECT race
// OPTIONS explain=1
// HAS Why they race: thread T2 held M0, created at .*explain_locks.c:17, thread T1 held M1, created at .*explain_locks.c:20: no lock is common
// HAS Thread T1 last synchronised before its access by locking M1 at .*explain_locks.c:20; after it, first by unlocking M1 at .*explain_locks.c:22\.
// HAS Thread T2 last synchronised before its access by locking M0 at .*explain_locks.c:29; after it, not yet\.
// HAS ^4,212 other accesses hold M1, created at .*explain_locks.c:20; the read by thread T2 does not\.
// HASNOT knew what
#include "order.h"

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int hits;
volatile int sum;

static void* looker(void* unused) {
  // A lock that neither holds at the race, and an epoch without an access.
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  for (int i = 0; i < 4213; ++i) {
    pthread_mutex_lock(&guard);
    hits = i;  // race
    pthread_mutex_unlock(&guard);
  }
  reach(1);
  return unused;
}
static void* peeker(void* unused) {
  await(1);
  pthread_mutex_lock(&other);
  sum = hits;  // race
  pthread_mutex_unlock(&other);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, looker, 0);
  pthread_create(&b, 0, peeker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
