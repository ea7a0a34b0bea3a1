// EXPECT race
// MARKS race.h
// COMMAND exec setarch -R @PROGRAM@
#include "race.h"
int main(void) { race(); }
