// A file of suppressions is read to its end, however large it is.
// EXPECT none
// OPTIONS suppressions=@TMP@/large
// COMMAND { yes race:there_is_no_function_of_this_name | head -40000; echo race:quiet_writer; } >large; @PROGRAM@
#include "order.h"
int x;
static void quiet_writer(void) {
  x = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) { RUN(quiet_writer, second); }
