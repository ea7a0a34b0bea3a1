// A handler on the thread's own stack has its frames below those of the code that it interrupted; both are told apart.
// On an alternative stack its variables are in no thread's stack, and no function is blamed.
// EXPECT race
// HAS ^    Variable 'interrupted' of main, declared at .*/stack_signal_handler.c:44$
// HAS ^    Variable 'on_stack' of handler, declared at .*/stack_signal_handler.c:27$
// HASNOT Variable 'elsewhere'
// HASNOT Variable 'interrupted' of handler
#include <signal.h>

#include "order.h"
static int *shared, *shared_handler, *shared_elsewhere;
static void* child(void* nothing) {
  await(1);
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 1;          // race a
  *__atomic_load_n(&shared_handler, __ATOMIC_RELAXED) = 1;  // race b
  reach(2);
  await(3);
  *__atomic_load_n(&shared_elsewhere, __ATOMIC_RELAXED) = 1;  // race c
  *__atomic_load_n(&shared, __ATOMIC_RELAXED) = 2;
  reach(4);
  return nothing;
}
static void handler(int signal) {
  USE(signal);
  char before[24];
  USE(before);
  int on_stack;
  __atomic_store_n(&shared_handler, &on_stack, __ATOMIC_RELAXED);
  on_stack = 2;  // race b
  reach(1);
  await(2);
  USE(&on_stack);
}
static void other_handler(int signal) {
  USE(signal);
  int elsewhere;
  __atomic_store_n(&shared_elsewhere, &elsewhere, __ATOMIC_RELAXED);
  elsewhere = 2;  // race c
  reach(3);
  await(4);
  USE(&elsewhere);
}
int main(void) {
  int interrupted;
  __atomic_store_n(&shared, &interrupted, __ATOMIC_RELAXED);
  struct sigaction action = {.sa_handler = handler}, other = {.sa_handler = other_handler, .sa_flags = SA_ONSTACK};
  stack_t stack = {.ss_size = 1 << 18};
  stack.ss_sp = malloc(stack.ss_size);
  MUST(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR2, &other, NULL) == 0);
  MUST(sigaltstack(&stack, NULL) == 0);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, child, NULL) == 0);
  interrupted = 2;  // race a
  raise(SIGUSR1);
  raise(SIGUSR2);
  join(thread);
  USE(&interrupted);
}
