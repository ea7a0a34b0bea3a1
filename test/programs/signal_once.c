// A handler that is good for one signal and sets itself again: the second signal comes while the first one waits for
// the run time to be left, and finds the handler set.
// EXPECT race
// MARKS in_report.h
// OPTIONS external_symbolizer_path=@DIR@/symbols_patient_helper
// COMMAND rm -f asked go; @PROGRAM@
#include "in_report.h"
static int handled;
static void handler(int number) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
  MUST(sigaction(number, &action, NULL) == 0);
  add_hidden(&handled);
}
static void after(void) {
  while (read_hidden(&handled) < 2) continue;
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  const pthread_t reporter = start_report(after);
  MUST(pthread_kill(reporter, SIGUSR1) == 0);
  await_delivery();
  MUST(pthread_kill(reporter, SIGUSR1) == 0);
  let_report_end();
  join(reporter);
}
