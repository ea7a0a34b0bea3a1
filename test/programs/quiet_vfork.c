// A child of vfork closes descriptors in its own table, not in what is known of the parent.
// EXPECT none
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x, fds[2];
static void first(void) {
  x = 1;
  MUST(write(fds[1], "a", 1) == 1);
}
static void second(void) {
  char c;
  MUST(read(fds[0], &c, 1) == 1);
  x = 2;
}
int main(void) {
  MUST(pipe(fds) == 0);
  const pid_t child = vfork();
  if (child == 0) {
    close(fds[0]);
    close(fds[1]);
    _exit(0);
  }
  int status;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  RUN(first, second);
}
