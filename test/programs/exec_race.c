// A program that another one becomes by exec is watched from its start.
// EXPECT race
#include <string.h>
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(int argc, char** argv) {
  if (argc == 1) {
    execl(argv[0], argv[0], "again", (char*)0);
    return 1;
  }
  RUN(first, second);
}
