// A handler runs after each single instruction of a switch between fibers. What it does is done by the fiber that is
// left, before it tells what it did, or by the next one, after that has learned it: never in between.
// EXPECT none
#include <signal.h>

#include "order.h"
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);

static volatile int handled;
static void handler(int signal) {
  USE(signal);
  handled = handled + 1;
}
static void waits(void) { await(1); }
static void switches(void) {
  void* const mine = __tsan_get_current_fiber();
  void* const other = __tsan_create_fiber(0);
  // The flag of the processor by which debuggers go step by step. The system takes it away while the handler runs.
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
  __tsan_switch_to_fiber(other, 0);
  __tsan_switch_to_fiber(mine, 0);
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
  MUST(handled > 100);
  __tsan_destroy_fiber(other);
  reach(1);
}
int main(void) {
  MUST(signal(SIGTRAP, handler) != SIG_ERR);
  RUN(waits, switches);  // with two threads, none counts as alone
}
