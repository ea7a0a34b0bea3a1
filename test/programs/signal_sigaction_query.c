// A program that asks for its handler gets its own, with the flags that it gave.
// EXPECT none
#include <signal.h>

#include "order.h"
static int with_info;
static void plain(int number) { (void)number; }
static void detailed(int number, siginfo_t* info, void* context) {
  MUST(info->si_signo == number && context != NULL && info->si_code == SI_QUEUE && info->si_value.sival_int == 7);
  ++with_info;
}
int main(void) {
  struct sigaction action = {0}, old;
  action.sa_handler = plain;
  action.sa_flags = SA_RESTART;
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  MUST(sigaction(SIGUSR1, NULL, &old) == 0);
  MUST(old.sa_handler == plain && (old.sa_flags & SA_SIGINFO) == 0 && (old.sa_flags & SA_RESTART) != 0);
  action.sa_sigaction = detailed;
  action.sa_flags = SA_SIGINFO;
  MUST(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == plain);
  union sigval value;
  value.sival_int = 7;
  MUST(sigqueue(getpid(), SIGUSR1, value) == 0 && with_info == 1);
  MUST(signal(SIGUSR1, plain) == (void (*)(int))(void*)detailed);
  MUST(signal(SIGUSR1, SIG_DFL) == plain);
  MUST(signal(SIGUSR1, SIG_IGN) == SIG_DFL);
}
