// Shared memory of System V that is detached while another thread uses it.
// EXPECT race
#include <sys/shm.h>

#include "order.h"
static char* memory;
static void uses(void) {
  memory[100] = 1;  // race
  reach(1);
}
static void detaches(void) {
  await(1);
  MUST(shmdt(memory) == 0);  // race
}
int main(void) {
  const int id = shmget(IPC_PRIVATE, 10000, 0600);
  MUST(id >= 0);
  memory = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, 0);
  RUN(uses, detaches);
}
