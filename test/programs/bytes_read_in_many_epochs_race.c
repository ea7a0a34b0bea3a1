// The bytes of a word are read in an epoch each, more of them than the cells of a word can tell apart: each read stays
// in force until a later one of the same byte takes its place.
// EXPECT race
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
typedef union {
  int whole;
  char bytes[4];
} Word;
static Word x, y;
static void next_epoch(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void first(void) {
  USE(*(volatile char*)&x.bytes[0]);
  next_epoch();
  USE(*(volatile char*)&x.bytes[1]);
  USE(*(volatile char*)&y.bytes[1]);
  next_epoch();
  USE(*(volatile char*)&x.bytes[2]);  // race a
  USE(*(volatile char*)&y.bytes[2]);
  next_epoch();
  USE(*(volatile char*)&x.bytes[3]);
  USE(*(volatile char*)&y.bytes[3]);
  next_epoch();
  USE(*(volatile char*)&x.bytes[1]);
  USE(*(volatile char*)&y.bytes[0]);
  USE(*(volatile int*)&y.whole);  // race b
  reach(1);
}
static void second(void) {
  await(1);
  *(volatile char*)&x.bytes[2] = 1;  // race a
  *(volatile char*)&y.bytes[3] = 1;  // race b
}
int main(void) { RUN(first, second); }
