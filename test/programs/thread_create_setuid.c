// setuid() makes every thread change its user, and waits for all of them with a lock that pthread_create needs, too: threads
// that are creating threads, or fork, answer.
// EXPECT none
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
static int done;
static int is_done(void) { return __atomic_load_n(&done, __ATOMIC_RELAXED); }
static void changes(void) {
  for (int i = 0; i < 500; ++i) MUST(setuid(getuid()) == 0);
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
}
static void nothing(void) {}
static void creates(void) {
  while (!is_done()) join(start(nothing));
}
static void forks(void) {
  while (!is_done()) {
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
      MUST(setgid(getgid()) == 0);
      _exit(0);
    }
    int status = 1;
    MUST(waitpid(child, &status, 0) == child && status == 0);
  }
}
int main(void) { RUN(changes, creates, forks, creates); }
