// The last user, ordered after all others by the mutex itself, may destroy it.
// EXPECT none
#include "order.h"
static pthread_mutex_t mutex;
static int users = 2;
static void use(void) {
  pthread_mutex_lock(&mutex);
  const int left = --users;
  pthread_mutex_unlock(&mutex);
  if (left == 0) pthread_mutex_destroy(&mutex);
}
int main(void) {
  pthread_mutex_init(&mutex, NULL);
  RUN(use, use);
}
