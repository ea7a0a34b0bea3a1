// EXPECT none
#include "order.h"
int x;
static pthread_mutex_t mutex;
static void body(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  x++;
  pthread_mutex_unlock(&mutex);
  x++;
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  RUN(body, body);
  pthread_mutex_destroy(&mutex);
}
