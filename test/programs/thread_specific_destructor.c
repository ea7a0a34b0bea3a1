// Destructors of thread-specific data belong to their thread: a join covers them.
// EXPECT none
#include "order.h"
int x;
static pthread_key_t key;
static void destroy(void* value) { *(int*)value = 2; }
static void child(void) { pthread_setspecific(key, &x); }
int main(void) {
  pthread_key_create(&key, destroy);
  join(start(child));
  x = 3;
}
