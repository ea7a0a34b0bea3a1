// A thread that is inside the run time for as long as the program wants: it tells a race, and the symbolizer
// (symbols_patient_helper) does not answer before let_report_end(). Programs run in a folder of their own, and have
//   // EXPECT race
//   // MARKS in_report.h
//   // OPTIONS external_symbolizer_path=@DIR@/symbols_patient_helper
//   // COMMAND rm -f asked go; @PROGRAM@
#ifndef DEADHEAT_TEST_IN_REPORT_H
#define DEADHEAT_TEST_IN_REPORT_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

int raced_on;
static int reporter_id;
static Body after_report;

static void race_first(void) {
  raced_on = 1;  // race
  reach(1);
}
static void race_second(void) {
  await(1);
  __atomic_store_n(&reporter_id, gettid(), __ATOMIC_RELAXED);
  raced_on = 2;
  after_report();
}
// Returns when the thread is inside. It goes on with `after`.
static inline pthread_t start_report(Body after) {
  after_report = after;
  start(race_first);
  const pthread_t reporter = start(race_second);
  while (access("asked", F_OK) != 0) sched_yield();
  return reporter;
}
static inline void let_report_end(void) { MUST(close(open("go", O_CREAT | O_WRONLY, 0600)) == 0); }

// A field of the thread's status.
static inline unsigned long status_of_reporter(const char* format) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", __atomic_load_n(&reporter_id, __ATOMIC_RELAXED));
  FILE* status = fopen(path, "r");
  MUST(status != NULL);
  unsigned long value = 0;
  while (fgets(line, sizeof line, status) != NULL && sscanf(line, format, &value) != 1) continue;
  fclose(status);
  return value;
}
// Returns when the thread has got all signals that were sent to it, and sleeps again.
static inline void await_delivery(void) {
  while (status_of_reporter("SigPnd: %lx") != 0) continue;
  while ((char)status_of_reporter("State: %c") != 'S') continue;
}

// Counted in ways that no run time sees.
static inline int add_hidden(int* count) {
  int before = 1;
  __asm__ volatile("lock xaddl %0, %1" : "+r"(before), "+m"(*count) : : "memory");
  return before;
}
static inline int read_hidden(const int* count) {
  int now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(*count) : "memory");
  return now;
}

#endif
