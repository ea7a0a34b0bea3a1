// What functions of the C library write is their caller's own, or is ordered by a lock.
// EXPECT none
// FLAGS -fno-builtin
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* line;
static size_t size;
static char text[2][100];
static struct tm* day;
static void use(int which) {
  struct timespec now;
  struct stat file;
  struct pollfd none = {.fd = -1};
  time_t seconds = time(NULL);
  for (int i = 0; i < 100; ++i) {
    MUST(clock_gettime(CLOCK_REALTIME, &now) == 0 && stat("/", &file) == 0 && poll(&none, 1, 0) == 0);
    snprintf(text[which], sizeof text[which], "%d", i);
    // Nothing of a buffer without room is written.
    snprintf(text[1 - which], 0, "%d", i);
    MUST(readlink("/", text[1 - which], 100) == -1);
    pthread_mutex_lock(&mutex);
    day = localtime(&seconds);
    MUST(day->tm_year > 0);
    FILE* words = fmemopen("a line\n", 7, "r");
    MUST(words != NULL && getline(&line, &size, words) == 7);
    fclose(words);
    pthread_mutex_unlock(&mutex);
  }
}
static void first(void) { use(0); }
static void second(void) { use(1); }
int main(void) { RUN(first, second); }
