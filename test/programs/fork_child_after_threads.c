// What threads did before a fork was done before the child's copy of the memory was made: the child, and the threads it
// starts, may use it, though nothing ordered them in the parent.
// EXPECT none
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
static int ended, running;
static void ends(void) {
  ended = 1;
  reach(1);
}
static void goes_on(void) {
  await(1);
  running = 1;
  reach(2);
  await(3);
}
static void in_child(void) {
  ended += 1;
  running += 1;
}
int main(void) {
  pthread_t a = start(ends), b = start(goes_on);
  await(1);
  await(2);
  const pid_t child = fork();
  if (child == 0) {
    ended = running = 2;
    RUN(in_child);
    _exit(ended + running == 6 ? 0 : 1);
  }
  int status = 1;
  MUST(waitpid(child, &status, 0) == child);
  reach(3);
  join(a);
  join(b);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
