// Reports go to a file, named with the process id.
// EXPECT race
// OPTIONS log_path=@TMP@/log
// COMMAND @PROGRAM@; status=$?; test ! -s stderr || echo "on stderr too" >>log.0; exit $status
// HASNOT on stderr too
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
