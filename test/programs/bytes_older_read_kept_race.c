// An earlier read beside a later one stays in force when a third thread, ordered after both, writes another byte.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, both = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  USE(*(volatile int*)&x.whole);  // race
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&both);
  USE(*(volatile char*)&x.bytes[0]);
  pthread_mutex_unlock(&both);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(&both);
  *(volatile char*)&x.bytes[1] = 1;
  pthread_mutex_unlock(&both);
  reach(2);
}
static void third(void) {
  await(2);
  *(volatile char*)&x.bytes[2] = 1;  // race
}
int main(void) { RUN(first, second, third); }
