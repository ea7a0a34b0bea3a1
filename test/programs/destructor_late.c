// What runs after our own shutdown (here: flushing a stream whose cookie is the program's) still works.
// EXPECT none
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char kept[64];
static ssize_t keep(void* cookie, const char* text, size_t bytes) {
  (void)cookie;
  pthread_mutex_lock(&mutex);
  char* copy = malloc(bytes + 1);
  memcpy(copy, text, bytes);
  memcpy(kept, copy, bytes < sizeof kept ? bytes : sizeof kept);
  free(copy);
  pthread_mutex_unlock(&mutex);
  return (ssize_t)write(1, kept, bytes < sizeof kept ? bytes : sizeof kept);
}
int main(void) {
  FILE* stream = fopencookie(0, "w", (cookie_io_functions_t){.write = keep});
  MUST(stream != 0 && fputs("late", stream) >= 0);
}
