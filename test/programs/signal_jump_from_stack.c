// A jump out of a handler on an alternative stack that lies above the thread's own leaves the handler all the same:
// what the thread does then is not done by a handler. A jump within the handler does not leave it.
// EXPECT report
// HAS signal-unsafe call inside of a signal
// HAS #[0-9]+ in_handler
// HASNOT #[0-9]+ outside
#include <setjmp.h>
#include <signal.h>

#include "order.h"
static sigjmp_buf out, within;
static char* memory;
enum { kBytes = 1 << 17 };
__attribute__((noinline)) static void in_handler(void) {
  void* volatile block = malloc(10);
  free(block);
}
__attribute__((noinline)) static void outside(void) {
  void* volatile block = malloc(10);
  free(block);
}
static void handler(int number) {
  if (number == SIGUSR1) siglongjmp(out, 1);
  if (sigsetjmp(within, 0) == 0) siglongjmp(within, 1);
  in_handler();
}
static void body(void) {
  const stack_t stack = {.ss_sp = memory, .ss_size = kBytes};
  MUST((char*)&stack < memory);
  MUST(sigaltstack(&stack, NULL) == 0);
  if (sigsetjmp(out, 1) == 0) pthread_kill(pthread_self(), SIGUSR1);
  outside();
  pthread_kill(pthread_self(), SIGUSR2);
}
int main(void) {
  char on_highest_stack[kBytes];
  memory = on_highest_stack;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  MUST(sigaction(SIGUSR2, &action, NULL) == 0);
  join(start(body));
}
