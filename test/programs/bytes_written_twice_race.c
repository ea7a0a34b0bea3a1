// Two writes of a byte race with one read of it. All threads but the first five share a class of readers, and a write does
// not end a read of its class that is not ordered before it.
// EXPECT race
// OPTIONS suppress_equal_addresses=0
#include <sched.h>

#include "order.h"
static char x;
static int begun;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static void waits(void) {
  __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
  await(4);
}
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
int main(void) {
  pthread_t waiting[6];  // they begin before the others, so those find no class of their own
  for (int i = 0; i < 6; ++i) waiting[i] = start(waits);
  while (__atomic_load_n(&begun, __ATOMIC_RELAXED) != 6) sched_yield();
  RUN(reads, writes, ends);
  for (int i = 0; i < 6; ++i) join(waiting[i]);
}
