// What cannot be placed with its shadow is refused as a system without room does it, and that is said once. Nothing that
// the program insists on can overwrite the shadow.
// EXPECT none
// HAS deadheat: [0-9]+ MiB of memory are refused: there is no place where they and their shadow fit
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "order.h"
#define TERABYTE ((size_t)1 << 40)
static int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void body(void) {
  pthread_mutex_lock(&mutex);
  ++x;
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  for (int i = 0; i < 3; ++i) {
    errno = 0;
    MUST(mmap(0, 64 * TERABYTE, PROT_NONE, flags, -1, 0) == MAP_FAILED);
    MUST(errno == ENOMEM);
  }
  // Whatever there is of this size, which the program did not map, stays as it is.
  char line[256];
  size_t places[512];
  int count = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  MUST(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) {
    char* rest;
    const size_t begin = strtoul(line, &rest, 16), end = strtoul(rest + 1, NULL, 16);
    if (end - begin > TERABYTE / 10 && strstr(line, "rw-p") != NULL && count < 512)
      places[count++] = (begin + (end - begin) / 2) & ~(size_t)4095;
  }
  fclose(maps);
  MUST(count > 0);
  for (int i = 0; i < count; ++i) {
    errno = 0;
    MUST(mmap((char*)places[i], 4096, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) == MAP_FAILED);
    MUST(errno == ENOMEM);
  }
  RUN(body, body);
  RUN(body, body);
}
