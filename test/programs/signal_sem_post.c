// A handler may post a semaphore, whatever it interrupts: the wait for it comes after what the thread did before.
// EXPECT none
#include <semaphore.h>
#include <signal.h>

#include "order.h"
enum { kRounds = 2000 };
static int data[kRounds];
static int handled, atomic_word;
static sem_t semaphore;
static pthread_t receiver;
static void handler(int number) {
  (void)number;
  sem_post(&semaphore);
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}
static void receive(void) {
  for (int i = 0; i < kRounds; ++i) {
    data[i] = i;
    reach(i + 1);
    // In and out of the run time all the time: signals come while it is inside.
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == i) __atomic_fetch_add(&atomic_word, 1, __ATOMIC_ACQ_REL);
  }
}
static void send(void) {
  for (int i = 0; i < kRounds; ++i) {
    await(i + 1);
    MUST(pthread_kill(receiver, SIGUSR1) == 0);
    while (sem_wait(&semaphore) != 0) {
    }
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
