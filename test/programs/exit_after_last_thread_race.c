// The main thread calls exit when the other has ended, but nothing told it so.
// EXPECT race
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"
int x, tid;
static void at_end(void) {
  x = 2;  // race
}
static void writes(void) {
  __atomic_store_n(&tid, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
  x = 1;  // race
}
int main(void) {
  atexit(at_end);
  pthread_detach(start(writes));
  int other;
  while ((other = __atomic_load_n(&tid, __ATOMIC_RELAXED)) == 0) usleep(100);
  while (syscall(SYS_tgkill, getpid(), other, 0) == 0 || errno != ESRCH) usleep(100);
  exit(0);
}
