// A handler runs after each single instruction of a few calls: between a store and the next one of each function's entry
// and exit, and of its accesses, in the program and in the run time. The calls' stacks are right afterwards.
// EXPECT race
// HAS ^    #0 innermost
// HAS ^    #1 middle
// HAS ^    #2 outer
// HAS ^    #3 second
// HAS reported 2 warnings
#include <signal.h>

#include "order.h"
int x, y;
static volatile int handled, deepest;
__attribute__((noinline)) static void nested(int calls) {
  if (calls > 0)
    nested(calls - 1);
  else
    deepest = deepest + 1;
  __asm__ volatile("");
}
static void handler(int signal) {
  USE(signal);
  handled = handled + 1;
  nested(3);
}
__attribute__((noinline)) void innermost(void) {
  x = 2;  // race a
  __asm__ volatile("");
}
__attribute__((noinline)) void middle(void) {
  innermost();
  __asm__ volatile("");
}
__attribute__((noinline)) void outer(void) {
  middle();
  y = 2;  // race b
  __asm__ volatile("");
}
static void first(void) {
  await(1);
  x = 1;  // race a
  y = 1;  // race b
}
static void second(void) {
  // The flag of the processor by which debuggers go step by step. The system takes it away while the handler runs.
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
  outer();
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
  MUST(handled > 50 && deepest == handled);
  reach(1);
}
int main(void) {
  MUST(signal(SIGTRAP, handler) != SIG_ERR);
  RUN(first, second);
}
