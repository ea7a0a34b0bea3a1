// A thread is cancelled in the callback of its report: it ends there, its cleanup handler races, and others report on.
// EXPECT race
// HAS reported 3 warnings
#include <unistd.h>

#include "order.h"
int a, b, c;
static int calls;
static pthread_t victim;
void __tsan_on_report(void* r) {
  (void)r;
  if (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) == 0) {
    reach(2);
    for (;;) pause();
  }
}
static void cleanup(void* arg) {
  (void)arg;
  b = 2;  // race b
  reach(3);
}
static void first(void) {
  a = 1;  // race a
  b = 1;  // race b
  c = 1;  // race c
  reach(1);
}
static void second(void) {
  await(1);
  pthread_cleanup_push(cleanup, NULL);
  a = 2;  // race a
  pthread_cleanup_pop(0);
}
static void third(void) {
  await(2);
  pthread_cancel(victim);
  await(3);
  c = 2;  // race c
}
int main(void) {
  pthread_t f = start(first);
  victim = start(second);
  pthread_t t = start(third);
  void* result;
  join(f);
  MUST(pthread_join(victim, &result) == 0 && result == PTHREAD_CANCELED);
  join(t);
}
