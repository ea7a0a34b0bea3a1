// EXPECT none
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"
int x;
static sem_t* semaphore;
static void first(void) {
  x = 1;
  sem_post(semaphore);
}
static void second(void) {
  sem_wait(semaphore);
  x = 2;
}
int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/deadheat-test-%d", (int)getpid());
  semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  MUST(semaphore != SEM_FAILED);
  sem_unlink(name);
  RUN(first, second);
  sem_close(semaphore);
}
