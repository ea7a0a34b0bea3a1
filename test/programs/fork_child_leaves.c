// The thread that forks is the first of the child: nobody has to join it there.
// EXPECT none
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
static void forks(void) {
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) pthread_exit(NULL);
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
}
int main(void) { RUN(forks); }
