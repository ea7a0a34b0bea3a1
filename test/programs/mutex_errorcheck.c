// A second lock by the owner fails and changes nothing.
// EXPECT none
#include <errno.h>

#include "order.h"
int x;
static pthread_mutex_t mutex;
static void body(void) {
  MUST(pthread_mutex_lock(&mutex) == 0);
  MUST(pthread_mutex_lock(&mutex) == EDEADLK);
  x++;
  MUST(pthread_mutex_unlock(&mutex) == 0);
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  RUN(body, body);
}
