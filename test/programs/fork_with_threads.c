// A fork while other threads are inside of our run time: parent and child go on, watched, and nothing is told.
// EXPECT none
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stop, count, done[4];
static void busy(void) {
  while (__atomic_load_n(&stop, __ATOMIC_RELAXED) == 0) {
    pthread_mutex_lock(&mutex);
    ++count;
    pthread_mutex_unlock(&mutex);
    free(malloc(100));
  }
}
static void in_child(void) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&own);
    done[i] = 1;
    pthread_mutex_unlock(&own);
  }
}
int main(void) {
  pthread_t a = start(busy), b = start(busy);
  for (int i = 0; i < 60; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      RUN(in_child);
      _exit(done[3] == 1 ? 0 : 1);
    }
    int status = 1;
    MUST(waitpid(child, &status, 0) == child && status == 0);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  join(a);
  join(b);
}
