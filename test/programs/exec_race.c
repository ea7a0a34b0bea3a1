// A program that another one becomes by exec is watched from its start.
// EXPECT race
// MARKS race.h
#include <string.h>
#include <unistd.h>

#include "race.h"
int main(int argc, char** argv) {
  if (argc == 1) {
    execl(argv[0], argv[0], "again", (char*)0);
    return 1;
  }
  race();
}
