// A program that a signal ends is seen to have ended so.
// EXPECT none
// COMMAND @PROGRAM@; exit $?
// EXIT 134
#include "order.h"
int main(void) { abort(); }
