// The status tells of races also where the program ends without its functions for exit.
// EXPECT race
// MARKS race.h
// HAS reported 1 warnings
#include <unistd.h>

#include "race.h"
int main(void) {
  race();
  _exit(0);
}
