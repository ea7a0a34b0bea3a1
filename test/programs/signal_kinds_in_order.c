// Queued signals of three kinds, with values, to a thread that is inside the run time most of the time: all come, each
// kind in order.
// EXPECT none
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "order.h"
enum { kEach = 500 };
static volatile int next_value[3], bad;
static void handler(int number, siginfo_t* info, void* context) {
  (void)context;
  const int kind = number - SIGRTMIN;
  if (info->si_value.sival_int != next_value[kind]) bad = 1;
  next_value[kind]++;
}
static pthread_t target;
static void busy(void) {
  reach(1);
  while (next_value[0] < kEach || next_value[1] < kEach || next_value[2] < kEach) {
    char* p = malloc(40);
    memset(p, 1, 40);
    free(p);
  }
}
static void send(void) {
  await(1);
  for (int i = 0; i < kEach; ++i)
    for (int k = 0; k < 3; ++k) {
      union sigval v = {.sival_int = i};
      while (pthread_sigqueue(target, SIGRTMIN + k, v) != 0) sched_yield();
    }
}
int main(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = handler;
  a.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int k = 0; k < 3; ++k) sigaction(SIGRTMIN + k, &a, NULL);
  target = start(busy);
  const pthread_t other = start(send);
  join(target);
  join(other);
  MUST(bad == 0);
}
