// A fault of an atomic operation whose handler leaves it by a jump, or maps the page and returns: the thread is watched
// afterwards, and no other thread waits for the object.
// EXPECT race
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "order.h"
enum { kPage = 4096 };
static char* pages;
static sigjmp_buf back;
static int jumps, asked, answered;
int x, in_handler;
static int* page(int number) { return (int*)(pages + number * kPage); }
static void fault(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  char* const begin = pages + ((char*)info->si_addr - pages) / kPage * kPage;
  if (jumps) siglongjmp(back, 1);
  // The other thread uses the same object meanwhile.
  MUST(mprotect(begin, kPage, PROT_READ | PROT_WRITE) == 0);
  in_handler = 1;  // race b
  __atomic_store_n(&asked, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&answered, __ATOMIC_RELAXED) == 0) sched_yield();
}
static void first(void) {
  struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
  MUST(sigaction(SIGSEGV, &action, NULL) == 0);
  __atomic_fetch_add(page(0), 1, __ATOMIC_ACQ_REL);
  MUST(__atomic_load_n(page(0), __ATOMIC_RELAXED) == 2);
  jumps = 1;
  static int i;  // not in a register that the jump restores
  for (; i < 3; ++i) {
    if (sigsetjmp(back, 1) != 0) continue;
    switch (i) {
      case 0:
        __atomic_store_n(page(1), 1, __ATOMIC_RELEASE);
        break;
      case 1:
        USE(__atomic_load_n(page(1), __ATOMIC_ACQUIRE));
        break;
      case 2:
        __atomic_fetch_add(page(1), 1, __ATOMIC_RELAXED);
        break;
    }
    MUST(0);
  }
  x = 1;  // race a
  reach(1);
}
static void second(void) {
  while (__atomic_load_n(&asked, __ATOMIC_RELAXED) == 0) sched_yield();
  __atomic_fetch_add(page(0), 1, __ATOMIC_RELAXED);
  in_handler = 2;  // race b
  __atomic_store_n(&answered, 1, __ATOMIC_RELAXED);
  await(1);
  MUST(mprotect(page(1), kPage, PROT_READ | PROT_WRITE) == 0);
  __atomic_fetch_add(page(1), 1, __ATOMIC_RELAXED);
  x = 2;  // race a
}
int main(void) {
  pages = mmap(NULL, 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(pages != MAP_FAILED);
  RUN(first, second);
}
