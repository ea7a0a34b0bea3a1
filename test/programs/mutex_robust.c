// A thread that gets EOWNERDEAD has the lock and knows what the dead owner did.
// EXPECT none
// HASNOT WARNING
#include <errno.h>

#include "order.h"
int x;
static pthread_mutex_t mutex;
static void owner(void) {
  pthread_mutex_lock(&mutex);
  x = 1;
  reach(1);
}
static void heir(void) {
  await(1);
  MUST(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  pthread_mutex_consistent(&mutex);
  x = 2;
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  RUN(owner, heir);
}
