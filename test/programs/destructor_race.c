// Destructors of the program are watched, and so are the threads they start.
// EXPECT race
// MARKS race.h
#include "race.h"
__attribute__((destructor)) static void last(void) { race(); }
int main(void) { return 0; }
