// A mutex in freed memory.
// EXPECT race
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HASNOT race with free
#include "order.h"
struct Object {
  long first[8];
  pthread_mutex_t mutex;
};
static void first(void) {
  struct Object* volatile x = malloc(sizeof(struct Object));
  pthread_mutex_init(&x->mutex, NULL);
  pthread_mutex_lock(&x->mutex);
  free(x);                          // race
  pthread_mutex_unlock(&x->mutex);  // race
}
int main(void) { RUN(first); }
