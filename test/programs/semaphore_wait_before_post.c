// A wait that a unit was already there for learns nothing of a later post.
// EXPECT race
#include <semaphore.h>

#include "order.h"
int x;
static sem_t semaphore;
static void first(void) {
  sem_wait(&semaphore);
  reach(1);
  await(2);
  USE(x);  // race
}
static void second(void) {
  await(1);
  x = 1;  // race
  sem_post(&semaphore);
  reach(2);
}
int main(void) {
  sem_init(&semaphore, 0, 1);
  RUN(first, second);
}
