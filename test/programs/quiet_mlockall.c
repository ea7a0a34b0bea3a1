// A program locks all memory, now and in future: the run time does not fill what it has reserved.
// EXPECT none
// COMMAND ulimit -l 65536; @PROGRAM@
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "order.h"
static size_t resident_kib(void) {
  char line[256];
  size_t kib = 0;
  FILE* const status = fopen("/proc/self/status", "r");
  MUST(status != NULL);
  while (fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0) kib = strtoul(line + 6, NULL, 10);
  fclose(status);
  return kib;
}
static void uses(void) {
  char* const block = malloc(1 << 20);
  memset(block, 1, 1 << 20);
  free(block);
}
int main(void) {
  if (geteuid() == 0) MUST(setuid(65534) == 0);  // so that the limit holds: it ends what would fill the machine's memory
  MUST(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
  RUN(uses, uses);
  MUST(resident_kib() < 512 << 10);
  errno = 0;
  MUST(mlockall(MCL_ONFAULT) == -1 && errno == EINVAL);
  MUST(munlockall() == 0);
}
