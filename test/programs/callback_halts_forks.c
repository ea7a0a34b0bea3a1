// With halt_on_error a child that a callback makes tells of its own first race at once, and ends by it.
// EXPECT race
// OPTIONS halt_on_error=1
// HAS ^the child has told$
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x, y;
static void child_first(void) {
  y = 1;  // race b
  reach(3);
}
static void child_second(void) {
  await(3);
  y = 2;  // race b
}
static pid_t parent;
void __tsan_on_report(void* report) {
  (void)report;
  if (getpid() != parent) return;
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    RUN(child_first, child_second);
    _exit(0);
  }
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  // A thread that waits for the end of the program does so thousands of times for a moment.
  struct rusage used;
  MUST(getrusage(RUSAGE_CHILDREN, &used) == 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 66 && used.ru_nvcsw < 1000) fprintf(stderr, "the child has told\n");
}
static void first(void) {
  x = 1;  // race a
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race a
}
int main(void) {
  parent = getpid();
  RUN(first, second);
}
