// Races in destructors of thread-specific data, in cleanup handlers, after main has left by pthread_exit. What a function does that
// atexit registered comes after the threads that have ended.
// EXPECT race
// HAS reported 3 warnings
#include "order.h"
int a, b, c, d;
static pthread_key_t key;
static void gone(void* v) {
  (void)v;
  a = 2;  // race a
  reach(2);
}
static void cleanup(void* v) {
  (void)v;
  b = 2;  // race b
}
static void at_exit(void) {
  c = 2;
}
static void first(void) {
  a = 1;  // race a
  b = 1;  // race b
  c = 1;
  d = 1;  // race d
  reach(1);
}
static void second(void) {
  await(1);
  pthread_setspecific(key, &a);
  pthread_cleanup_push(cleanup, NULL);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
}
static void third(void) {
  await(2);
  d = 2;  // race d
}
int main(void) {
  pthread_key_create(&key, gone);
  atexit(at_exit);
  pthread_detach(start(first));
  pthread_detach(start(second));
  pthread_detach(start(third));
  pthread_exit(NULL);
}
