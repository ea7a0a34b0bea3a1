// A thread that is slow to leave a barrier does not learn what a fast one brings into the next phase. The slow one is
// held up inside the barrier by a signal handler, until the fast one has arrived there again.
// EXPECT race
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"
int x;
static pthread_barrier_t barrier;
static pthread_t slow_thread;
static int slow_tid, fast_tid;

static void await_sleep_of(const int* tid) {  // until that thread sleeps, which it does in the barrier only
  char path[64], state = 0;
  while (__atomic_load_n(tid, __ATOMIC_RELAXED) == 0) sched_yield();
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", __atomic_load_n(tid, __ATOMIC_RELAXED));
  while (state != 'S') {
    FILE* file = fopen(path, "r");
    MUST(file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
    sched_yield();
  }
}
static void hold(int signal) {
  (void)signal;
  reach(1);
  await(2);
}
static void slow(void) {
  __atomic_store_n(&slow_tid, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
  pthread_barrier_wait(&barrier);
  USE(x);  // race
  pthread_barrier_wait(&barrier);
}
static void fast(void) {
  await_sleep_of(&slow_tid);
  pthread_kill(slow_thread, SIGUSR1);
  await(1);
  pthread_barrier_wait(&barrier);
  x = 1;  // race
  __atomic_store_n(&fast_tid, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
  pthread_barrier_wait(&barrier);
}
static void watcher(void) {
  await_sleep_of(&fast_tid);
  reach(2);
}
int main(void) {
  signal(SIGUSR1, hold);
  pthread_barrier_init(&barrier, NULL, 2);
  slow_thread = start(slow);
  RUN(fast, watcher);
  join(slow_thread);
}
