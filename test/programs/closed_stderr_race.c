// With standard error closed a race still decides the exit status, and reports go where log_path says.
// EXPECT race
// OPTIONS log_path=@TMP@/log
// COMMAND @PROGRAM@ 2>&-
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
