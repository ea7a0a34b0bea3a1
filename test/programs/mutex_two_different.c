// Two locks protect nothing from each other; the report names what was held.
// EXPECT race
// HAS mutexes: write M
// HAS Mutex M[0-9]+ \(0x
#include "order.h"
int x;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  pthread_mutex_lock(&one);
  x = 1;  // race
  pthread_mutex_unlock(&one);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&two);
  x = 2;  // race
  pthread_mutex_unlock(&two);
}
int main(void) { RUN(first, second); }
