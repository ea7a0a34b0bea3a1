// Races in a callback of dl_iterate_phdr and in a constructor, both with the loader's lock, while others report: none
// waits for the other.
// EXPECT race
// HAS reported 3 warnings
// LIBRARY -DLIBRARY
// FLAGS -rdynamic
#ifdef LIBRARY
extern int shared_c;
extern void order_reach(int), order_await(int);
__attribute__((constructor)) static void begin(void) {
  order_await(5);
  shared_c = 2;  // race c
  order_reach(6);
}
#else
#include <dlfcn.h>
#include <link.h>

#include "order.h"
int shared_a, shared_b, shared_c;
void order_reach(int n) { reach(n); }
void order_await(int n) { await(n); }
static int walk(struct dl_phdr_info* info, size_t size, void* data) {
  (void)info;
  (void)size;
  (void)data;
  reach(2);
  await(3);
  shared_a = 2;  // race a
  return 1;
}
static void walks(void) {
  await(1);
  dl_iterate_phdr(walk, NULL);
  reach(4);
  shared_c = 1;  // race c
  reach(5);
}
static void loads(void) {
  await(4);
  MUST(dlopen("./library.so", RTLD_NOW) != NULL);
}
static void other(void) {
  shared_a = 1;  // race a
  shared_b = 1;  // race b
  reach(1);
  await(6);
}
static void reports(void) {
  await(2);
  shared_b = 2;  // race b
  reach(3);
}
int main(void) { RUN(walks, loads, other, reports); }
#endif
