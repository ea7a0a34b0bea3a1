// exitcode=0 leaves the program's own status.
// EXPECT race
// MARKS race.h
// OPTIONS exitcode=0
// EXIT 3
#include "race.h"
int main(void) {
  race();
  return 3;
}
