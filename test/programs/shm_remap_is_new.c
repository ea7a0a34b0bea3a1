// Shared memory of System V that is attached in place of other memory has no history.
// EXPECT none
#include <sys/mman.h>
#include <sys/shm.h>

#include "order.h"
static char* memory;
static int id;
static void first(void) {
  memory[100] = 1;
  reach(1);
}
static void second(void) {
  await(1);
  MUST(shmat(id, memory, SHM_REMAP) == memory);
  memory[100] = 2;
}
int main(void) {
  id = shmget(IPC_PRIVATE, 4096, 0600);
  MUST(id >= 0);
  memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(memory != MAP_FAILED);
  RUN(first, second);
  shmctl(id, IPC_RMID, NULL);
}
