// A fork orders nothing in the parent: what its other threads did stays unordered there.
// EXPECT race
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x;
static void writes(void) {
  x = 1;  // race
  reach(1);
}
int main(void) {
  pthread_t a = start(writes);
  await(1);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  x = 2;  // race
  join(a);
}
