// What the program prints is what it prints without us.
// EXPECT none
// COMMAND test "$(@PROGRAM@)" = "hello 42"
// HASNOT .
#include <stdio.h>

#include "order.h"
int main(void) { printf("hello %d\n", 42); }
