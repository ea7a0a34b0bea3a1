// EXPECT race
#include "order.h"
int x;
static pthread_spinlock_t lock;
static void first(void) {
  pthread_spin_lock(&lock);
  pthread_spin_unlock(&lock);
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  pthread_spin_lock(&lock);
  x = 2;  // race
  pthread_spin_unlock(&lock);
}
int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  RUN(first, second);
}
