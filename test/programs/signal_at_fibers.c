// A handler that comes while fibers are made, switched or destroyed runs as soon as that is done, also if the program
// then calls nothing of ours for ever.
// EXPECT none
#include <signal.h>

#include "order.h"
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

enum { kRounds = 100,
       kKinds = 3 };
static int begun, sent, handled;
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
static pthread_t receiver;
static void receive(void) {
  void* const mine = __tsan_get_current_fiber();
  void* const other = __tsan_create_fiber(0);
  for (int round = 1; round <= kRounds * kKinds; ++round) {
    raise_count(&begun);
    while (count_of(&sent) < round) {
      if (round % kKinds == 0) {
        __tsan_destroy_fiber(__tsan_create_fiber(0));
      } else {
        __tsan_switch_to_fiber(other, round % kKinds - 1);
        __tsan_switch_to_fiber(mine, round % kKinds - 1);
      }
    }
    while (count_of(&handled) < round) __asm__ volatile("pause");
  }
}
static void send(void) {
  for (int round = 1; round <= kRounds * kKinds; ++round) {
    while (count_of(&begun) < round) sched_yield();
    MUST(pthread_kill(receiver, SIGUSR1) == 0);
    raise_count(&sent);
  }
}
int main(void) {
  signal(SIGUSR1, handler);
  receiver = start(receive);
  join(start(send));
  join(receiver);
}
