// EXPECT report
// HAS WARNING: ThreadSanitizer: thread leak
// HAS And 1 more similar thread leaks
// HAS SUMMARY: ThreadSanitizer: thread leak .*thread_leak.c:[0-9]+ in main
// OPTIONS atexit_sleep_ms=0
#include "order.h"
static void* body(void* argument) { return argument; }
int main(void) {
  pthread_t threads[2];
  for (volatile int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, NULL);
  // Ended in the eyes of the system: only the main thread is left.
  while (system("test $(ls /proc/$PPID/task | wc -l) -eq 1") != 0) sched_yield();
}
