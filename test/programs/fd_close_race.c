// Closing a descriptor that another thread uses: the next open gives its number to another file.
// EXPECT race
// HAS Location is file descriptor [0-9]+ (created|destroyed) by main thread
#include <unistd.h>

#include "order.h"
int fds[2];
static void first(void) {
  MUST(write(fds[1], "a", 1) == 1);  // race
  reach(1);
}
static void second(void) {
  await(1);
  close(fds[1]);  // race
}
int main(void) {
  MUST(pipe(fds) == 0);
  RUN(first, second);
}
