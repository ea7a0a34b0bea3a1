// What cannot be placed with its shadow is refused as a system without room does it, and that is said once. Nothing that
// the program insists on can overwrite the shadow.
// EXPECT none
// HAS deadheat: [0-9]+ MiB of memory are refused: there is no place where they and their shadow fit
#include <errno.h>
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
  // Somewhere at every TiB: refused, or a place that can be used.
  for (size_t at = TERABYTE; at < 100 * TERABYTE; at += TERABYTE) {
    errno = 0;
    char* const place = mmap((char*)at, 4096, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
    if (place == MAP_FAILED) {
      MUST(errno == ENOMEM);
    } else {
      MUST(place == (char*)at);
      place[0] = 1;
    }
  }
  RUN(body, body);
  RUN(body, body);
}
