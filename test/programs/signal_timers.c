// A timer fires all the time while threads lock, allocate, create threads, report and fork; calls that wait end by it.
// EXPECT race
// HAS reported 1 warning
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "order.h"
int x;
static int ticks;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void tick(int n) {
  (void)n;
  const int e = errno;
  __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
  free(NULL);
  errno = e;
}
static void nothing(void) {}
static void work(void) {
  for (int i = 0; i < 300; ++i) {
    pthread_mutex_lock(&m);
    char* p = malloc(100 + i);
    memset(p, i, 100);
    p = realloc(p, 1000);
    pthread_mutex_unlock(&m);
    free(p);
    if (i % 10 == 0) join(start(nothing));
    if (i % 50 == 0) {
      pid_t c = fork();
      if (c == 0) {
        join(start(nothing));
        _exit(0);
      }
      int s;
      while (waitpid(c, &s, 0) != c) MUST(errno == EINTR);
      MUST(s == 0);
    }
  }
}
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = tick;
  sigaction(SIGALRM, &a, NULL);
  struct itimerval t = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &t, NULL);
  RUN(work, work, first, second);
  t.it_interval.tv_usec = 5000;
  setitimer(ITIMER_REAL, &t, NULL);
  for (int i = 0; i < 20; ++i) {
    MUST(poll(NULL, 0, -1) == -1 && errno == EINTR);
    MUST(pause() == -1 && errno == EINTR);
    sigset_t none;
    sigemptyset(&none);
    MUST(sigsuspend(&none) == -1 && errno == EINTR);
    sem_t s;
    sem_init(&s, 0, 0);
    MUST(sem_wait(&s) == -1 && errno == EINTR);
    MUST(ppoll(NULL, 0, NULL, &none) == -1 && errno == EINTR);
  }
  t.it_interval.tv_usec = t.it_value.tv_usec = 0;
  setitimer(ITIMER_REAL, &t, NULL);
}
