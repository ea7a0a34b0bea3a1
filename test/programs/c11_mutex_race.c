// EXPECT race
#include <threads.h>

#include "order.h"
int x;
static mtx_t mutex;
static void first(void) {
  mtx_lock(&mutex);
  mtx_unlock(&mutex);
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  MUST(mtx_trylock(&mutex) == thrd_success);
  x = 2;  // race
  mtx_unlock(&mutex);
}
int main(void) {
  mtx_init(&mutex, mtx_recursive);
  RUN(first, second);
}
