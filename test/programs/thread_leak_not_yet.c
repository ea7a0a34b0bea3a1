// The program ends while a thread is about to join another one that has ended: nothing was forgotten.
// EXPECT none
#include <stdio.h>
#include <unistd.h>

#include "order.h"
static int worker_id;
static void worker(void) { __atomic_store_n(&worker_id, gettid(), __ATOMIC_RELAXED); }
static void creates(void) {
  const pthread_t thread = start(worker);
  char path[64];
  int id;
  while ((id = __atomic_load_n(&worker_id, __ATOMIC_RELAXED)) == 0) sched_yield();
  snprintf(path, sizeof path, "/proc/self/task/%d", id);
  while (access(path, F_OK) == 0) sched_yield();
  reach(1);
  for (;;) pause();
  join(thread);
}
int main(void) {
  start(creates);
  await(1);
}
