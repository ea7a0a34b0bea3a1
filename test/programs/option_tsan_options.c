// Where only TSAN_OPTIONS is set, it counts.
// EXPECT race
// MARKS race.h
// COMMAND unset DEADHEAT_OPTIONS; TSAN_OPTIONS=exitcode=8 exec @PROGRAM@
// EXIT 8
#include "race.h"
int main(void) { race(); }
