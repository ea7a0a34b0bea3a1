// Two signals sent back to back to a thread that is in and out of the run time: both handlers run.
// EXPECT none
#include <signal.h>

#include "order.h"
enum { kRounds = 30, kPairs = 100 };
static int word, plain[64], handled[2], ended;
static void add(int* count) { __asm__ volatile("lock incl %0" : "+m"(*count) : : "memory"); }
static int count_of(const int* count) {
  int now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(*count) : "memory");
  return now;
}
static void first(int number) {
  (void)number;
  add(&handled[0]);
}
static void second(int number) {
  (void)number;
  add(&handled[1]);
}
static pthread_t receiver;
static void receive(void) {
  while (count_of(&ended) == 0) {
    __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 64; ++i) ++plain[i];
  }
}
static void send(void) {
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kPairs; ++i) {
      MUST(pthread_kill(receiver, SIGRTMIN) == 0);
      MUST(pthread_kill(receiver, SIGRTMIN + 1) == 0);
    }
    while (count_of(&handled[0]) < round * kPairs || count_of(&handled[1]) < round * kPairs) sched_yield();
  }
  add(&ended);
}
int main(void) {
  signal(SIGRTMIN, first);
  signal(SIGRTMIN + 1, second);
  receiver = start(receive);
  join(start(send));
  join(receiver);
}
