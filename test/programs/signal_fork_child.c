// A signal that is sent to a child as soon as there is one: its handler runs there. One that waits in the parent runs
// in the parent alone.
// EXPECT none
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
enum { kForks = 300 };
static int handled, sent, ended;
static int add(int* count) {
  int before = 1;
  __asm__ volatile("lock xaddl %0, %1" : "+r"(before), "+m"(*count) : : "memory");
  return before;
}
static int count_of(const int* count) {
  int now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(*count) : "memory");
  return now;
}
static void handler(int number) {
  (void)number;
  add(&handled);
}
static int handled_for_parent;
static void handler_for_parent(int number) {
  (void)number;
  add(&handled_for_parent);
}
static pthread_t main_thread;
static void disturb(void) {
  while (count_of(&ended) == 0) {
    MUST(pthread_kill(main_thread, SIGUSR2) == 0);
    add(&sent);
    while (count_of(&handled_for_parent) < count_of(&sent) && count_of(&ended) == 0) sched_yield();
  }
}
int main(void) {
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler_for_parent);
  main_thread = pthread_self();
  const pthread_t other = start(disturb);
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const int before = count_of(&handled_for_parent);
      while (count_of(&handled) == 0) continue;
      sigset_t blocked;
      MUST(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGUSR1));
      _exit(count_of(&handled) == 1 && count_of(&handled_for_parent) == before ? 0 : 1);
    }
    int status;
    MUST(child > 0 && kill(child, SIGUSR1) == 0 && waitpid(child, &status, 0) == child && status == 0);
  }
  add(&ended);
  join(other);
}
