// EXPECT race
#include "order.h"
int x;
static pthread_mutex_t mutex;
static void first(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&mutex);
  x = 2;  // race
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  RUN(first, second);
}
