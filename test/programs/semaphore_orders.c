// EXPECT none
#include <semaphore.h>

#include "order.h"
int x;
static sem_t semaphore;
static void first(void) {
  x = 1;
  sem_post(&semaphore);
}
static void second(void) {
  sem_wait(&semaphore);
  x = 2;
}
int main(void) {
  sem_init(&semaphore, 0, 0);
  RUN(first, second);
  sem_destroy(&semaphore);
}
