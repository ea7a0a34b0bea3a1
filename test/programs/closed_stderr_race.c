// With standard error closed a race still decides the exit status, and reports go where log_path says.
// EXPECT race
// MARKS race.h
// OPTIONS log_path=@TMP@/log
// COMMAND @PROGRAM@ 2>&-
#include "race.h"
int main(void) { race(); }
