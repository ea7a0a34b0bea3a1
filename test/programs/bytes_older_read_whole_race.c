// A write of the whole word races with the last read, of one byte, and with the earlier one of the others: both are told.
// EXPECT race
// OPTIONS suppress_equal_addresses=0:suppress_equal_stacks=0
#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static union {
  int whole;
  char bytes[4];
} x;
static void first(void) {
  USE(*(volatile int*)&x.whole);  // race a
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  USE(*(volatile char*)&x.bytes[0]);  // race b
  reach(1);
}
static void second(void) {
  await(1);
  *(volatile int*)&x.whole = 1;  // race a // race b
}
int main(void) { RUN(first, second); }
