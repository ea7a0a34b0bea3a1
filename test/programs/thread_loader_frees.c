// What the loader keeps on the heap for threads is freed by the thread that cleans up after another: that is no access of the
// program, even if the same block was freed so before by somebody else.
// EXPECT none
#define ORDER_INVISIBLE
#include <errno.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"
static pid_t first_one;
static void* nothing(void* p) { return p; }
// Its stack is larger than what is kept for later threads, so the join frees all that belonged to it.
static void a_thread_that_comes_and_goes(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 20);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, nothing, NULL) != 0) exit(3);
  pthread_join(thread, NULL);
}
static void* first(void* p) {
  a_thread_that_comes_and_goes();
  __asm__ volatile("movl %1, %0" : "=m"(first_one) : "r"((pid_t)syscall(SYS_gettid)) : "memory");
  reach(1);
  return p;
}
static void* second(void* p) {
  await(1);
  pid_t tid;
  __asm__ volatile("movl %1, %0" : "=r"(tid) : "m"(first_one) : "memory");
  // Until it is gone, and with it its cache of free blocks.
  while (syscall(SYS_tgkill, getpid(), tid, 0) == 0) sched_yield();
  a_thread_that_comes_and_goes();
  return p;
}
int main(void) {
  mallopt(M_ARENA_MAX, 1);
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(b, NULL);
  pthread_join(a, NULL);
  return 0;
}
