// A handler that changes errno is told; one that restores it is not.
// EXPECT report
// HAS WARNING: ThreadSanitizer: signal handler spoils errno
// HAS Signal 12 handler invoked at
// HAS #0 spoils
// HASNOT restores
#include <errno.h>
#include <signal.h>

#include "order.h"
static void spoils(int number) {
  (void)number;
  errno = EDOM;
}
static void restores(int number) {
  (void)number;
  const int error = errno;
  errno = ERANGE;
  errno = error;
}
int main(void) {
  signal(SIGUSR1, restores);
  signal(SIGUSR2, spoils);
  errno = 5;
  raise(SIGUSR1);
  MUST(errno == 5);
  raise(SIGUSR2);
  MUST(errno == EDOM);
}
