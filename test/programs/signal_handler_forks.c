// A handler forks in the midst of a thread that allocates and creates threads; the child can use the heap.
// EXPECT none
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
enum { kTimes = 100 };
static volatile int handled;
static void handler(int number) {
  (void)number;
  const pid_t child = fork();
  if (child == 0) {
    void* p = malloc(100);
    memset(p, 1, 100);
    free(p);
    _exit(7);
  }
  int status;
  while (waitpid(child, &status, 0) != child) continue;
  MUST(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}
static pthread_t target;
static void busy(void) {
  reach(1);
  while (__atomic_load_n(&handled, 0) < kTimes) {
    pthread_t t;
    void* p = malloc(64);
    free(p);
    if (__atomic_load_n(&handled, 0) % 16 == 0 && pthread_create(&t, NULL, (void* (*)(void*))(void*)getpid, NULL) == 0) pthread_join(t, NULL);
  }
}
static void send(void) {
  await(1);
  for (int i = 0; i < kTimes; ++i) {
    pthread_kill(target, SIGUSR1);
    while (__atomic_load_n(&handled, 0) <= i) sched_yield();
  }
}
int main(void) {
  signal(SIGUSR1, handler);
  target = start(busy);
  const pthread_t other = start(send);
  join(target);
  join(other);
}
