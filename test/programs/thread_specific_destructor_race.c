// Destructors of thread-specific data are watched, also of keys that were made when threads were there already.
// EXPECT race
#include "order.h"
int x;
static pthread_key_t key;
static void destroy(void* value) {
  await(1);
  *(int*)value = 2;  // race
}
static void child(void) { pthread_setspecific(key, &x); }
static void idle(void) {}
int main(void) {
  join(start(idle));
  pthread_key_create(&key, destroy);
  pthread_t thread = start(child);
  x = 1;  // race
  reach(1);
  join(thread);
}
