// Signals that waited for the run time to be left are blocked while handlers run that block them; such a handler may
// ask for them and take them. The masks are those that the system would have set.
// EXPECT race
// MARKS in_report.h
// OPTIONS external_symbolizer_path=@DIR@/symbols_patient_helper
// COMMAND rm -f asked go; @PROGRAM@
#include "in_report.h"
static int begun, ended, second_handled, third_taken, word;
static void first(int number) {
  sigset_t now, pending, third;
  add_hidden(&begun);
  // In and out of the run time, until it is not waited for any more; but what is blocked waits.
  for (int i = 0; i < 10000; ++i) __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
  MUST(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  MUST(sigismember(&now, number) && sigismember(&now, SIGUSR2) && sigismember(&now, SIGRTMIN));
  MUST(!sigismember(&now, SIGTERM) && !sigismember(&now, SIGSEGV));
  MUST(read_hidden(&second_handled) == 0);
  MUST(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2) && sigismember(&pending, SIGRTMIN));
  sigemptyset(&third);
  sigaddset(&third, SIGRTMIN);
  MUST(sigwaitinfo(&third, NULL) == SIGRTMIN);
  add_hidden(&third_taken);
  add_hidden(&ended);
}
static void second(int number) {
  sigset_t now;
  MUST(read_hidden(&ended) == 1);
  MUST(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  MUST(sigismember(&now, number) && !sigismember(&now, SIGUSR1) && !sigismember(&now, SIGRTMIN));
  add_hidden(&second_handled);
}
static void third(int number) {
  (void)number;
  abort();
}
static void after(void) {
  sigset_t now;
  while (read_hidden(&second_handled) == 0) continue;
  MUST(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  for (int number = 1; number < NSIG; ++number) MUST(sigismember(&now, number) != 1);
}
int main(void) {
  struct sigaction action = {.sa_handler = first}, seen;
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaddset(&action.sa_mask, SIGRTMIN);
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  MUST(sigaction(SIGUSR1, NULL, &seen) == 0 && seen.sa_handler == first);
  for (int number = 1; number < NSIG; ++number)
    MUST(sigismember(&seen.sa_mask, number) == (number == SIGUSR2 || number == SIGRTMIN));
  signal(SIGUSR2, second);
  signal(SIGRTMIN, third);
  const pthread_t reporter = start_report(after);
  const int numbers[] = {SIGUSR1, SIGUSR2, SIGRTMIN};
  for (int i = 0; i < 3; ++i) {
    MUST(pthread_kill(reporter, numbers[i]) == 0);
    await_delivery();
  }
  let_report_end();
  join(reporter);
}
