// C11 threads: create, join, mutex, condition, once, thread-specific storage.
// EXPECT none
#include <threads.h>

#include "order.h"
int x, made, ready;
static mtx_t mutex;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static void make(void) { made = 1; }
static void destroy(void* value) { ++*(int*)value; }
static int first(void* argument) {
  (void)argument;
  call_once(&flag, make);
  USE(made);
  x = 1;
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&condition);
  mtx_unlock(&mutex);
  return 3;
}
static int second(void* argument) {
  call_once(&flag, make);
  USE(made);
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  x = 2;
  tss_set(key, argument);
  return 4;
}
int main(void) {
  thrd_t one, two;
  int result, count = 0;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  tss_create(&key, destroy);
  MUST(thrd_create(&one, first, NULL) == thrd_success);
  MUST(thrd_create(&two, second, &count) == thrd_success);
  MUST(thrd_join(one, &result) == thrd_success && result == 3);
  MUST(thrd_join(two, &result) == thrd_success && result == 4);
  x = 3;
  MUST(count == 1);
  mtx_destroy(&mutex);
  cnd_destroy(&condition);
}
