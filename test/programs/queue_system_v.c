// Messages and semaphores of System V order threads: a receive comes after the send, a wait after the post.
// EXPECT none
#include <sys/msg.h>
#include <sys/sem.h>

#include "order.h"
int x, y, queue, semaphores;
typedef struct {
  long type;
  char text[4];
} Message;
static void change(short by) {
  struct sembuf operation = {0, by, 0};
  MUST(semop(semaphores, &operation, 1) == 0);
}
static void sends(void) {
  x = 1;
  const Message message = {1, "abc"};
  MUST(msgsnd(queue, &message, sizeof message.text, 0) == 0);
  y = 1;
  change(1);
}
static void receives(void) {
  Message message;
  MUST(msgrcv(queue, &message, sizeof message.text, 0, 0) == sizeof message.text);
  x = 2;
  change(-1);
  y = 2;
}
int main(void) {
  queue = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  MUST(queue >= 0 && semaphores >= 0);
  RUN(sends, receives);
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphores, 0, IPC_RMID);
}
