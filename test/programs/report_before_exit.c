// A report under way is written before the program ends, also where it ends at once.
// EXPECT race
// OPTIONS external_symbolizer_path=@DIR@/symbols_slow_helper
// COMMAND rm -f asked; @PROGRAM@ at once; s=$?; rm -f asked; @PROGRAM@; [ $? = $s ] && exit $s
#include <unistd.h>

#include "order.h"
int x;
static void first(void) {
  x = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
  for (;;) pause();
}
int main(int count, char** arguments) {
  (void)arguments;
  start(first);
  start(second);
  while (access("asked", F_OK) != 0) sched_yield();
  if (count > 1) _exit(0);
  return 0;
}

// What the helper says, whatever it is asked.

// race 2
