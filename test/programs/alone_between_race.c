// A program that was alone for a while, and synchronised with nobody then, has epochs afterwards that nobody knows yet.
// EXPECT race
// COMPILERS gcc
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;
struct __attribute__((packed)) {
  char first;
  volatile long misaligned;
} other;  // its accesses take the way of all that is not simple, which counts them also while there is one thread
static void* nothing(void* unused) { return unused; }
static void* second(void* unused) {
  await(1);
  x = 2;  // race
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 8; ++i) {
    pthread_mutex_lock(&mutex);
    other.misaligned = i;
    pthread_mutex_unlock(&mutex);
  }
  pthread_create(&thread, NULL, second, NULL);
  x = 1;  // race
  reach(1);
  pthread_join(thread, NULL);
}
