// The child of a fork is watched: its first thread races with another, and its exit status says so.
// EXPECT race
// EXIT 0
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread = start(first);
    await(1);
    x = 2;  // race
    join(thread);
    return 0;
  }
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 66 ? 0 : 1;
}
