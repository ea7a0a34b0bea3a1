// EXPECT none
#include "order.h"
int x;
static pthread_spinlock_t lock;
static void body(void) {
  for (int i = 0; i < 100; ++i) {
    if (i % 2 == 0)
      pthread_spin_lock(&lock);
    else
      while (pthread_spin_trylock(&lock) != 0) sched_yield();
    x++;
    pthread_spin_unlock(&lock);
  }
}
int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  RUN(body, body);
  pthread_spin_destroy(&lock);
}
