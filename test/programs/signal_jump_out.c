// A jump out of a handler leaves its frames: the stack of what follows is right, nothing runs full, and what comes then
// is no part of a handler.
// EXPECT race
// HAS #2 run_body
// HASNOT signal-unsafe
#include <setjmp.h>
#include <signal.h>

#include "order.h"
int x;
static sigjmp_buf back;
static void handler(int number) {
  (void)number;
  siglongjmp(back, 1);
}
static void first(void) {
  x = 1;  // race
  reach(1);
}
static __attribute__((noinline)) void write_x(void) {
  x = 2;  // race
  __asm__ volatile("" ::: "memory");
}
static void second(void) {
  signal(SIGUSR1, handler);
  for (volatile int i = 0; i < 1000; ++i)
    if (sigsetjmp(back, 1) == 0) raise(SIGUSR1);
  void* volatile block = malloc(1);
  free(block);
  await(1);
  write_x();
  __asm__ volatile("" ::: "memory");
}
int main(void) { RUN(first, second); }
