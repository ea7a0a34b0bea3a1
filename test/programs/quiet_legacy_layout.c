// Mappings that grow upwards.
// EXPECT race
// MARKS race.h
// COMMAND exec setarch -L @PROGRAM@
#include "race.h"
int main(void) { race(); }
