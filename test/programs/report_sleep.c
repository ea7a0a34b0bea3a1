// A race between accesses that only a sleep kept apart is told with the place of the sleep.
// EXPECT race
// HAS As if synchronized via sleep:
// HAS     #0 usleep
// HAS     #1 doze .*report_sleep.c:17
#include <unistd.h>

#include "order.h"
int x;
static void* writer(void* unused) {
  x = 1;  // race
  reach(1);
  await(2);
  return unused;
}
__attribute__((noinline)) static void doze(void) {
  usleep(1);
  __asm__ volatile("");
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  await(1);
  doze();
  x = 2;  // race
  reach(2);
  pthread_join(thread, 0);
}
