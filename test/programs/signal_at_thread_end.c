// Signals sent to threads that are about to end, and answered by some thread: every handler runs, also in a
// thread whose end the run time is just noting down.
// EXPECT none
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "order.h"
enum { kThreads = 2000 };
static int begun, handled;
static void raise_count(int* count) { __asm__ volatile("lock incl %0" : "+m"(*count) : : "memory"); }
static int count_of(const int* count) {
  int now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(*count) : "memory");
  return now;
}
static void handler(int number) {
  (void)number;
  raise_count(&handled);
}
static void ends(void) {
  sigset_t usual;
  sigemptyset(&usual);
  MUST(pthread_sigmask(SIG_SETMASK, &usual, NULL) == 0);
  raise_count(&begun);
}
int main(void) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  signal(SIGUSR1, handler);
  // The main thread blocks it, so that only the ending ones can get a signal that is sent to all.
  MUST(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
  int sent = 0;
  for (int i = 1; i <= kThreads; ++i) {
    const pthread_t thread = start(ends);
    while (count_of(&begun) < i) continue;
    MUST(kill(getpid(), SIGUSR1) == 0);
    ++sent;
    join(thread);
    sigset_t pending;  // nobody was left to take it
    MUST(sigpending(&pending) == 0);
    int number;
    if (sigismember(&pending, SIGUSR1)) MUST(sigwait(&blocked, &number) == 0 && ++handled);
    MUST(count_of(&handled) == sent);
  }
}
