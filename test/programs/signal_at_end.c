// A signal that comes while the run time finishes: its handler runs before the program has ended, however it ends.
// EXPECT none
// COMMAND for how in return exit at_once quick; do @PROGRAM@ $how || exit 1; done
// HAS ^handled by return$
// HAS ^handled by exit$
// HAS ^handled by at_once$
// HAS ^handled by quick$
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "order.h"
static const char* how;
static void handler(int number) {
  (void)number;
  MUST(write(2, "handled by ", 11) == 11 && write(2, how, strlen(how)) > 0 && write(2, "\n", 1) == 1);
}
int __tsan_on_finalize(int failed) {
  MUST(syscall(234 /* tgkill */, getpid(), gettid(), SIGUSR1) == 0);
  return failed;
}
int main(int count, char** arguments) {
  how = arguments[count - 1];
  signal(SIGUSR1, handler);
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "at_once") == 0) _exit(0);
  if (strcmp(how, "quick") == 0) quick_exit(0);
  return 0;
}
