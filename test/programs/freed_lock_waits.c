// A lock in freed memory is told before the thread waits for it, here for ever: it was held when its memory was freed.
// EXPECT race
// OPTIONS halt_on_error=1
// HAS WARNING: ThreadSanitizer: heap-use-after-free \(pid=
// HAS #0 pthread_spin_lock
#include "order.h"
struct Object {
  long first[8];
  pthread_spinlock_t lock;
};
static struct Object* volatile x;
static void first(void) {
  x = malloc(sizeof(struct Object));
  pthread_spin_init(&x->lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&x->lock);
  free(x);  // race
}
static void second(void) {
  pthread_spin_lock(&x->lock);  // race
}
int main(void) {
  join(start(first));
  join(start(second));
}
