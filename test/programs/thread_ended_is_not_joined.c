// A thread that has ended but was not joined is still unordered.
// EXPECT race
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"
int x, child_tid;
static void child(void) {
  x = 1;  // race
  __atomic_store_n(&child_tid, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
}
int main(void) {
  pthread_t thread = start(child);
  while (__atomic_load_n(&child_tid, __ATOMIC_RELAXED) == 0) sched_yield();
  while (syscall(SYS_tgkill, getpid(), __atomic_load_n(&child_tid, __ATOMIC_RELAXED), 0) == 0) sched_yield();
  x = 2;  // race
  join(thread);
}
