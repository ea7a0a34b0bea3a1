// A log does not go where somebody has put the name of another file, too.
// EXPECT race
// MARKS race.h
// OPTIONS log_path=@TMP@/own
// COMMAND rm -f own.*; (echo 1 >old; ln old own.$BASHPID; exec @PROGRAM@); s=$?; [ $(cat old) = 1 ] && exit $s
// HAS own\.[0-9]+ has another name, too: reports go to standard error
#include "race.h"
int main(void) { race(); }
