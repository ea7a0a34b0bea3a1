// A variable of a function that is not instrumented: only the thread is named, not the function that has called it or
// the one that it has called.
// EXPECT race
// HAS Location is stack of thread T1\.$
// HASNOT #0 (owner|not_instrumented)
// HASNOT #0 waits .*:19
// HASNOT Variable
#include "order.h"
static int* shared;
static __attribute__((noinline)) void inner(void) {
  reach(1);
  await(2);
  __asm__ volatile("");
}
static __attribute__((noinline)) void waits(int* x) {
  char before[24];
  USE(before);
  *x = 1;  // race
  inner();
  USE(before);
}
#ifdef __clang__
#define NOT_INSTRUMENTED __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define NOT_INSTRUMENTED __attribute__((noinline, no_sanitize_thread))
#endif
NOT_INSTRUMENTED static void not_instrumented(void) {
  int x[20];
  USE(x);
  shared = &x[3];
  waits(&x[3]);
  USE(x);
}
static __attribute__((noinline)) void owner(void) {
  char before[24];
  USE(before);
  not_instrumented();
  USE(before);
}
int main(void) {
  const pthread_t thread = start(owner);
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;  // race
  reach(2);
  join(thread);
}
