// After a vfork and exec the parent is watched as before.
// EXPECT race
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
int main(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)0);
    _exit(1);
  }
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  pthread_t thread = start(first);
  await(1);
  x = 2;  // race
  join(thread);
}
