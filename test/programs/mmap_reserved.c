// Reservations of terabytes that come and go, also in parts: each is placed, costs no memory, and is new when it is mapped
// anew; threads that take turns on pages of it do not race.
// EXPECT none
// COMMAND setarch -R @PROGRAM@
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "order.h"
#define TERABYTE ((size_t)1 << 40)
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* memory;
static size_t bytes;
static char* reserve(size_t size) {
  char* const place = mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(place != MAP_FAILED);
  return place;
}
static void use(void) {
  for (size_t at = 0; at < bytes; at += bytes / 4) {
    pthread_mutex_lock(&mutex);
    memory[at] += 1;
    memory[at + bytes / 4 - 1] += 1;
    pthread_mutex_unlock(&mutex);
  }
}
static void open_pages(void) {
  for (size_t at = 0; at < bytes; at += bytes / 4) {
    MUST(mprotect(memory + at, 4096, PROT_READ | PROT_WRITE) == 0);
    MUST(mprotect(memory + at + bytes / 4 - 4096, 4096, PROT_READ | PROT_WRITE) == 0);
  }
}
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
int main(void) {
  const size_t before = resident_kib();
  char* const unused = reserve(TERABYTE / 16);
  for (int round = 0; round < 3; ++round) {
    bytes = round == 1 ? TERABYTE : 4 * TERABYTE;
    memory = reserve(bytes);
    open_pages();
    RUN(use, use);
    // The halves go one by one; what is left of the first half is still the program's.
    MUST(munmap(memory + bytes / 2, bytes / 2) == 0);
    memory[0] += 1;
    MUST(munmap(memory, bytes / 2) == 0);
  }
  // Several at once.
  char* parts[4];
  for (int i = 0; i < 4; ++i) parts[i] = reserve(TERABYTE / 2);
  for (int i = 0; i < 4; ++i) {
    memory = parts[i];
    bytes = TERABYTE / 2;
    open_pages();
    RUN(use, use);
  }
  for (int i = 0; i < 4; ++i) MUST(munmap(parts[i], TERABYTE / 2) == 0);
  MUST(munmap(unused, TERABYTE / 16) == 0);
  MUST(resident_kib() - before < 64 << 10);
}
