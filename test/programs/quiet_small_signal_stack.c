// A handler may race on an alternative stack that is hardly larger than the system demands.
// EXPECT race
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"
int x, handled;
static void handler(int signal) {
  x = signal;  // race
  handled = 1;
}
static void other(void) {
  x = 1;  // race
  reach(1);
}
int main(void) {
  const size_t page = 4096;
  const long least = sysconf(_SC_MINSIGSTKSZ);
  const size_t bytes = ((least > 0 ? (size_t)least : 2048) + 1024 + page - 1) & ~(page - 1);
  char* memory = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED && mprotect(memory, page, PROT_NONE) == 0);  // below it nothing can be written
  const stack_t stack = {.ss_sp = memory + page, .ss_size = bytes};
  MUST(sigaltstack(&stack, NULL) == 0);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  const pthread_t thread = start(other);
  await(1);
  raise(SIGUSR1);
  MUST(handled == 1);
  join(thread);
}
