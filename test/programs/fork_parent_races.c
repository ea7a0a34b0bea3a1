// The parent of a fork stays watched, and what a child does is not its own history.
// EXPECT race
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
int y;
static void third(void) { y = 1; }
int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    third();
    return 0;
  }
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  third();
  pthread_t thread = start(first);
  await(1);
  x = 2;  // race
  join(thread);
}
