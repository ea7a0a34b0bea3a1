// A library's constructor races, and waits for a thread that reports. Neither report waits for the loader, whose lock
// the thread of the constructor holds.
// EXPECT race
// LIBRARY -DLIBRARY
// FLAGS -rdynamic
#ifdef LIBRARY
#include <sched.h>
extern int y;
extern int constructor_step, reported;
__attribute__((constructor)) static void construct(void) {
  __atomic_store_n(&constructor_step, 1, __ATOMIC_RELAXED);
  y = 2;  // race b
  while (__atomic_load_n(&reported, __ATOMIC_RELAXED) == 0) sched_yield();
}
#else
#include <dlfcn.h>

#include "order.h"
int x, y;
int constructor_step, reported;
static void first(void) {
  x = 1;  // race a
  y = 1;  // race b
  reach(1);
}
static void second(void) {
  while (__atomic_load_n(&constructor_step, __ATOMIC_RELAXED) == 0) sched_yield();
  x = 2;  // race a
  __atomic_store_n(&reported, 1, __ATOMIC_RELAXED);
}
int main(void) {
  pthread_t threads[] = {start(first), start(second)};
  await(1);
  MUST(dlopen("./library.so", RTLD_NOW) != NULL);
  join(threads[0]);
  join(threads[1]);
}
#endif
