// Shared memory of System V: a segment that is attached anew has no history at its place.
// EXPECT none
#include <sys/shm.h>

#include "order.h"
static int id;
static void attach(int value) {
  char* const place = (char*)0x40000000;  // where nothing else is
  MUST(shmat(id, place, 0) == place);
  place[100] = (char)value;
  MUST(shmdt(place) == 0);
}
static void first(void) {
  attach(1);
  reach(1);
}
static void second(void) {
  await(1);
  attach(2);
}
int main(void) {
  id = shmget(IPC_PRIVATE, 10000, 0600);
  MUST(id >= 0);
  RUN(first, second);
  shmctl(id, IPC_RMID, 0);
}
