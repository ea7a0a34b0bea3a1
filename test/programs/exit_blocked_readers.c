// A program that reported a race ends while threads sit in functions of <stdio.h>, with the streams' locks, on pipes
// that nobody writes to: it ends with 66, and what it wrote is written, however it ends.
// EXPECT race
// COMMAND for how in return exit last; do @PROGRAM@ $how >out; [ $?$(cat out) = 66$how ] || exit 1; done; exit 66
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "order.h"
static int x;
static FILE* stream;
static void first(void) {
  x = 1;  // race a 3
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race a 3
}
static void gets_line(void) {
  char line[10];
  reach(2);
  MUST(fgets(line, sizeof line, stream) == NULL);
}
static void scans_input(void) {
  int number;
  await(2);
  reach(3);
  MUST(scanf("%d", &number) != 1);
}
static int is_sleeping(FILE* file) {  // with the stream's lock
  if (ftrylockfile(file) != 0) return 1;
  funlockfile(file);
  return 0;
}
int main(int count, char** arguments) {
  int pipes[2][2];
  const char* how = arguments[count - 1];
  RUN(first, second);
  MUST(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0 && dup2(pipes[0][0], 0) == 0);
  MUST((stream = fdopen(pipes[1][0], "r")) != NULL);
  pthread_detach(start(gets_line));
  pthread_detach(start(scans_input));
  await(3);
  while (!is_sleeping(stream) || !is_sleeping(stdin)) sched_yield();
  printf("%s", how);
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "last") == 0) {
    close(pipes[0][1]), close(pipes[1][1]);  // so that both end
    pthread_exit(NULL);
  }
  return 0;
}
