// Two writes of a byte race with one read of it. All threads but the first five share a class of readers, and a write does
// not end a read of its class that is not ordered before it.
// EXPECT race
// OPTIONS suppress_equal_addresses=0
#include "order.h"
static char x;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static void waits(void) { await(4); }
static void reads(void) {
  USE(*(volatile char*)&x);  // race a // race b
  reach(1);
  await(3);
}
static void writes(void) {
  await(1);
  *(volatile char*)&x = 1;  // race a
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  *(volatile char*)&x = 2;  // race b
  reach(3);
}
static void ends(void) {
  await(3);
  reach(4);
}
int main(void) { RUN(waits, waits, waits, waits, waits, waits, reads, writes, ends); }
