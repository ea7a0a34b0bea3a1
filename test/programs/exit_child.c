// A child's status tells of its own races, not of those before the fork.
// EXPECT race
// MARKS race.h
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"
int main(void) {
  race();
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i == 0) _exit(0);
      return 0;
    }
    int status = -1;
    MUST(waitpid(child, &status, 0) == child);
    MUST(status == 0);
  }
}
