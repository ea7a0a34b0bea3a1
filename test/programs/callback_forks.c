// What is called back from a report may fork; the child reports, too.
// EXPECT race
// MARKS callback_forks.c
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x, y;
static int callbacks;
static void child_first(void) {
  y = 1;  // race b
  reach(3);
}
static void child_second(void) {
  await(3);
  y = 2;  // race b
}
void __tsan_on_report(void* report) {
  (void)report;
  if (__atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED) != 0) return;
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    RUN(child_first, child_second);
    _exit(0);
  }
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  MUST(WIFEXITED(status) && WEXITSTATUS(status) == 66);
}
static void first(void) {
  x = 1;  // race a
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race a
}
int main(void) { RUN(first, second); }
