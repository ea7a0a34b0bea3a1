// A handler may post a semaphore, whatever it interrupts: who waited for it comes after.
// EXPECT none
#include <semaphore.h>
#include <signal.h>
#include "order.h"
enum { kRounds = 2000 };
int data[kRounds];
static int handled;
static sem_t semaphore;
static pthread_t receiver;
static int atomic_word;
static void handler(int number) {
  (void)number;
  data[handled] = handled;
  __atomic_store_n(&handled, handled + 1, __ATOMIC_RELAXED);
  sem_post(&semaphore);
}
static void receive(void) {
  // In and out of the run time all the time: signals come while it is inside.
  while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < kRounds) __atomic_fetch_add(&atomic_word, 1, __ATOMIC_ACQ_REL);
}
static void send(void) {
  for (int i = 0; i < kRounds; ++i) {
    MUST(pthread_kill(receiver, SIGUSR1) == 0);
    while (sem_wait(&semaphore) != 0) {
    }
    MUST(data[i] == i);
    data[i] = -1;
  }
}
int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  sem_init(&semaphore, 0, 0);
  receiver = start(receive);
  pthread_t sender = start(send);
  join(sender);
  join(receiver);
}
