// Programs that others are started from, by popen, system and posix_spawn, while threads allocate: results are theirs.
// EXPECT none
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
extern char** environ;
static int stop;
static void allocates(void) {
  while (__atomic_load_n(&stop, __ATOMIC_RELAXED) == 0) {
    void* volatile block = malloc(50);
    free(block);
  }
}
static void starts(void) {
  for (int i = 0; i < 5; ++i) {
    char line[100] = {0};
    FILE* const output = popen("echo hello", "r");
    MUST(output != NULL && fgets(line, sizeof line, output) != NULL && line[0] == 'h' && pclose(output) == 0);
    int status = system("exit 7");
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    pid_t child;
    char* arguments[] = {"sh", "-c", "exit 3", NULL};
    MUST(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
    MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
}
int main(void) {
  pthread_t thread = start(allocates);
  RUN(starts, starts);
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  join(thread);
}
