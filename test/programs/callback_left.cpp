// A jump, and the end of the thread, leave the callback of a report: later reports come as before.
// EXPECT race
// HAS reported 3 warnings
#include <pthread.h>
#include <setjmp.h>

#include "order.h"
int b, c, d;
static int calls;
static jmp_buf out;
extern "C" void __tsan_on_report(void*) {
  switch (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED)) {
    case 0:
      longjmp(out, 1);
    case 1:
      pthread_exit(nullptr);
  }
}
static void first() {
  b = 1;  // race b
  c = 1;  // race c
  d = 1;  // race d
  reach(1);
}
static void second() {
  await(1);
  if (setjmp(out) == 0) b = 2;  // race b
  reach(2);
  c = 2;  // race c
  abort();
}
static void third() {
  await(2);
  while (__atomic_load_n(&calls, __ATOMIC_RELAXED) < 2) sched_yield();
  d = 2;  // race d
}
int main() { RUN(first, second, third); }
