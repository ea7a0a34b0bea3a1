// exec while other threads run: nothing is told, the status is that of the new program.
// EXPECT none
// EXIT 3
#include <unistd.h>

#include "order.h"
static void busy(void) {
  reach(1);
  for (;;) free(malloc(10));
}
int main(void) {
  start(busy);
  await(1);
  execl("/bin/sh", "sh", "-c", "exit 3", (char*)0);
  return 1;
}
