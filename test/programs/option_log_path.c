// Reports go to a file, named with the process id.
// EXPECT race
// MARKS race.h
// OPTIONS log_path=@TMP@/log
// COMMAND @PROGRAM@; status=$?; test ! -s stderr || echo "on stderr too" >>log.0; exit $status
// HASNOT on stderr too
#include "race.h"
int main(void) { race(); }
