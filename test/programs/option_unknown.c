// An unknown option is named once and changes nothing.
// EXPECT none
// OPTIONS bogus_option=1:bogus_option=2
// HAS bogus_option
#include "order.h"
int main(void) { return 0; }
