// EXPECT race
// MARKS race.h
// OPTIONS exitcode=5
// EXIT 5
#include "race.h"
int main(void) { race(); }
