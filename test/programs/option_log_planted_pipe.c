// A log does not go where somebody has put a pipe under its name.
// EXPECT race
// MARKS race.h
// OPTIONS log_path=@TMP@/planted
// COMMAND rm -f planted.*; (mkfifo planted.$BASHPID; exec @PROGRAM@)
// HAS planted\.[0-9]+ is no ordinary file: reports go to standard error
#include "race.h"
int main(void) { race(); }
