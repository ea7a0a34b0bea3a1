// Handlers may race, and call for the first time, on alternative stacks that are as small as the system permits. The
// program is told its own stack, also from within a handler, and a thread that ends leaves it as it was.
// EXPECT race
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"
int x, handled;
static char* memory;
static size_t bytes;
static stack_t in_handler;
static void handler(int signal) {
  x = signal;  // race
  handled = 1;
  MUST(sigaltstack(NULL, &in_handler) == 0);
}
static void other(void) {
  x = 1;  // race
  reach(1);
}
static void handles(void) {
  const stack_t stack = {.ss_sp = memory, .ss_size = bytes};
  MUST(sigaltstack(&stack, NULL) == 0);
  stack_t seen;
  MUST(sigaltstack(NULL, &seen) == 0 && seen.ss_sp == memory && seen.ss_size == bytes && seen.ss_flags == 0);
  await(1);
  raise(SIGUSR1);
  MUST(handled == 1 && in_handler.ss_sp == memory && in_handler.ss_flags == SS_ONSTACK);
  const stack_t none = {.ss_flags = SS_DISABLE};
  MUST(sigaltstack(&none, &seen) == 0 && seen.ss_sp == memory && seen.ss_size == bytes);
  MUST(sigaltstack(&stack, &seen) == 0 && seen.ss_flags == SS_DISABLE);
}
int main(void) {
  const size_t page = 4096;
  const long least = sysconf(_SC_MINSIGSTKSZ);
  bytes = least > 0 ? (size_t)least : 2048;
  memory = mmap(NULL, page + 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED && mprotect(memory, page, PROT_NONE) == 0);  // below it nothing can be written
  memory += page;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  RUN(other, handles);
}
