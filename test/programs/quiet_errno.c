// errno is the program's.
// EXPECT none
#include <errno.h>
#include <string.h>

#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void body(void) {
  for (int i = 0; i < 1000; ++i) {
    errno = 1234;
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    void* block = malloc(100000);
    memset(block, 1, 100000);
    free(block);
    MUST(errno == 1234);
  }
}
int main(void) { RUN(body, body); }
