// Hundreds of signals come while a thread is inside the run time: none of their handlers runs there, all run
// afterwards, in the order in which the signals came, with their values.
// EXPECT race
// MARKS in_report.h
// OPTIONS external_symbolizer_path=@DIR@/symbols_patient_helper
// COMMAND rm -f asked go; @PROGRAM@
#include "in_report.h"
enum { kSignals = 300,
       kKinds = 5 };
static int handled, may_run;
static void handler(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  MUST(read_hidden(&may_run) != 0);
  MUST(info->si_value.sival_int == add_hidden(&handled));
}
static void after(void) {
  while (read_hidden(&handled) < kSignals + kKinds) continue;
}
int main(void) {
  // The second kind may interrupt its own handler.
  for (int kind = 0; kind <= kKinds; ++kind) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | (kind == 1 ? SA_NODEFER : 0)};
    MUST(sigaction(SIGRTMIN + kind, &action, NULL) == 0);
  }
  const pthread_t reporter = start_report(after);
  int sent = 0;
  // One by one, since the system hands out those that come together by their numbers.
  for (int kind = kKinds; kind > 0; --kind) {
    MUST(pthread_sigqueue(reporter, SIGRTMIN + kind, (union sigval){sent++}) == 0);
    await_delivery();
  }
  while (sent < kSignals + kKinds) MUST(pthread_sigqueue(reporter, SIGRTMIN + 1, (union sigval){sent++}) == 0);
  add_hidden(&may_run);
  let_report_end();
  join(reporter);
}
