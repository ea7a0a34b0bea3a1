// A handler that waited for the run time to be left runs on the alternative stack that it wants.
// EXPECT race
// MARKS in_report.h
// OPTIONS external_symbolizer_path=@DIR@/symbols_patient_helper
// COMMAND rm -f asked go; @PROGRAM@
#include "in_report.h"
static char memory[1 << 17];
static int handled;
static void handler(int number) {
  const char here = (char)number;
  MUST(&here > memory && &here < memory + sizeof memory);
  stack_t now;
  MUST(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_ONSTACK);
  add_hidden(&handled);
}
static void after(void) {
  while (read_hidden(&handled) == 0) continue;
}
static void with_stack(void) {
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  MUST(sigaltstack(&stack, NULL) == 0);
  race_second();
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  after_report = after;
  start(race_first);
  const pthread_t reporter = start(with_stack);
  while (access("asked", F_OK) != 0) sched_yield();
  MUST(pthread_kill(reporter, SIGUSR1) == 0);
  await_delivery();
  let_report_end();
  join(reporter);
}
