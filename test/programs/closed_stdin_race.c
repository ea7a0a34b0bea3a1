// With standard input and output closed reports name their lines: the helper that finds them is not confused by that.
// EXPECT race
// MARKS race.h
// COMMAND exec @PROGRAM@ <&- >&-
#include "race.h"
int main(void) { race(); }
