// EXPECT race
#include <semaphore.h>
#include <time.h>

#include "order.h"
int x;
static sem_t semaphore;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  struct timespec long_ago = {1, 0};
  MUST(sem_trywait(&semaphore) != 0);
  MUST(sem_timedwait(&semaphore, &long_ago) != 0);
  x = 2;  // race
}
int main(void) {
  sem_init(&semaphore, 0, 0);
  RUN(first, second);
}
