// Messages and semaphores of System V: others say nothing.
// EXPECT race
#include <sys/msg.h>
#include <sys/sem.h>

#include "order.h"
int x, y, queues[2], semaphores[2];
typedef struct {
  long type;
  char text[4];
} Message;
static void change(int of, short by) {
  struct sembuf operation = {0, by, 0};
  MUST(semop(semaphores[of], &operation, 1) == 0);
}
static void send(int to) {
  const Message message = {1, "abc"};
  MUST(msgsnd(queues[to], &message, sizeof message.text, 0) == 0);
}
static void sends(void) {
  x = 1;  // race a
  send(0);
  y = 1;  // race b
  change(0, 1);
  reach(1);
}
static void receives(void) {
  Message message;
  await(1);
  MUST(msgrcv(queues[1], &message, sizeof message.text, 0, 0) == sizeof message.text);
  x = 2;  // race a
  change(1, -1);
  y = 2;  // race b
}
int main(void) {
  for (int i = 0; i < 2; ++i) {
    queues[i] = msgget(IPC_PRIVATE, 0600);
    semaphores[i] = semget(IPC_PRIVATE, 1, 0600);
    MUST(queues[i] >= 0 && semaphores[i] >= 0);
  }
  send(1);
  change(1, 1);
  RUN(sends, receives);
  for (int i = 0; i < 2; ++i) {
    msgctl(queues[i], IPC_RMID, NULL);
    semctl(semaphores[i], 0, IPC_RMID);
  }
}
