// Two signals, sent back to back to a thread that is in and out of the run time: both handlers run, also where the
// second signal comes while the run time puts the first one of a thread aside.
// EXPECT none
#include <signal.h>
#include <string.h>

#include "order.h"
enum { kThreads = 2000 };
static int begun, handled[2];
static void add(int* count) { __asm__ volatile("lock incl %0" : "+m"(*count) : : "memory"); }
static int count_of(const int* count) {
  int now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(*count) : "memory");
  return now;
}
static void handler(int number) { add(&handled[number == SIGUSR2]); }
static void* receive(void* argument) {
  char block[2048];
  const int round = (int)(intptr_t)argument;
  add(&begun);
  while (count_of(&handled[0]) < round || count_of(&handled[1]) < round) memset(block, 1, sizeof block);
  return NULL;
}
int main(void) {
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler);
  for (int round = 1; round <= kThreads; ++round) {
    pthread_t receiver;
    MUST(pthread_create(&receiver, NULL, receive, (void*)(intptr_t)round) == 0);
    while (count_of(&begun) < round) sched_yield();
    MUST(pthread_kill(receiver, SIGUSR1) == 0);
    MUST(pthread_kill(receiver, SIGUSR2) == 0);
    join(receiver);
  }
}
