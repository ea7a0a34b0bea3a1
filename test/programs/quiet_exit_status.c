// Without a race the program's status is its own.
// EXPECT none
// EXIT 3
#include "order.h"
int main(void) { return 3; }
