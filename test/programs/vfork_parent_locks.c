// After a vfork and exec the parent's locks order as before.
// EXPECT none
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;
static void first(void) {
  pthread_mutex_lock(&mutex);
  x = 1;
  pthread_mutex_unlock(&mutex);
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
  pthread_mutex_lock(&mutex);
  x = 2;
  pthread_mutex_unlock(&mutex);
  join(thread);
}
