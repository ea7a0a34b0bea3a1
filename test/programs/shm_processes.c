// Parent and child with two threads each, and memory, a robust mutex and a barrier that they share.
// EXPECT none
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
typedef struct {
  pthread_mutex_t mutex;
  pthread_barrier_t barrier;
  int count;
} Shared;
static Shared* shared;
static void adds(void) {
  for (int i = 0; i < 1000; ++i) {
    MUST(pthread_mutex_lock(&shared->mutex) == 0);
    ++shared->count;
    MUST(pthread_mutex_unlock(&shared->mutex) == 0);
  }
  pthread_barrier_wait(&shared->barrier);
  MUST(shared->count == 4000);
}
int main(void) {
  const int file = memfd_create("shared", 0);
  MUST(ftruncate(file, 4096) == 0);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MUST(shared != MAP_FAILED);
  pthread_mutexattr_t of_mutex;
  pthread_mutexattr_init(&of_mutex);
  pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&of_mutex, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->mutex, &of_mutex);
  pthread_barrierattr_t of_barrier;
  pthread_barrierattr_init(&of_barrier);
  pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &of_barrier, 4);
  const pid_t child = fork();
  RUN(adds, adds);
  if (child == 0) return 0;
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
}
