// A read of the whole word, in an epoch that had read a byte of it before, makes earlier reads by other threads superfluous
// for the other bytes only: of the first byte the earlier access that is shown came before it knew of those reads.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void next_epoch(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void by_bytes(void) {
  await(1);
  USE(*(volatile int*)&x.whole);  // race a
  next_epoch();
  USE(*(volatile char*)&x.bytes[3]);
  next_epoch();
  USE(*(volatile char*)&x.bytes[1]);
  reach(2);
}
static void twice(void) {
  USE(*(volatile char*)&x.bytes[0]);  // race b
  reach(1);
  await(2);
  pthread_mutex_lock(&mutex);
  USE(*(volatile int*)&x.whole);
  reach(3);
  pthread_mutex_unlock(&mutex);
}
static void writer(void) {
  await(3);
  *(volatile char*)&x.bytes[0] = 1;  // race a // race b
}
int main(void) { RUN(by_bytes, twice, writer); }
