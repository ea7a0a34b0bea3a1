// The program ends while other threads still lock and allocate: no crash, no hang, its own status.
// EXPECT none
// EXIT 3
// OPTIONS atexit_sleep_ms=0
#include <string.h>

#include "order.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void work(void) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
    void* volatile block = malloc(100);
    memset(block, 0, 100);
    free(block);
    if (__atomic_load_n(&order_step, __ATOMIC_RELAXED) == 0) reach(1);
  }
}
int main(void) {
  for (int i = 0; i < 4; ++i) pthread_detach(start(work));
  await(1);
  exit(3);
}
