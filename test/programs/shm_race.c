// Shared memory of System V: a race within it.
// EXPECT race
#include <sys/shm.h>

#include "order.h"
static char* memory;
static void first(void) {
  memory[100] = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  memory[100] = 2;  // race
}
int main(void) {
  const int id = shmget(IPC_PRIVATE, 10000, 0600);
  MUST(id >= 0);
  memory = shmat(id, 0, 0);
  shmctl(id, IPC_RMID, 0);
  RUN(first, second);
}
