// EXPECT none
#include "order.h"
int x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void body(void) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
  }
}
int main(void) { RUN(body, body, body); }
