// One line wrote bytes that do not lie together, another thread overwrites them all: the bytes between did not race, and
// no report is about them.
// EXPECT race
// OPTIONS suppress_equal_addresses=0:suppress_equal_stacks=0:record_path=@TMP@/record
// COMMAND rm -f record; @PROGRAM@; status=$?; cat record >&2; exit $status
// HAS "size":1,"accesses"
// HASNOT "size":([2-9]|1.),"accesses"
#include <string.h>

#include "order.h"
static _Alignas(16) char x[16];
static volatile int count = 3;  // not known to the compiler: one call makes all three
static volatile size_t size = 16;
static __attribute__((noinline)) void write_byte(volatile char* byte) {
  *byte = 1;  // race 3
}
static void first(void) {
  static const int places[] = {4, 7, 12};
  for (int i = 0; i < count; ++i) write_byte(&x[places[i]]);
  reach(1);
}
static void second(void) {
  await(1);
  memset(x, 2, size);  // race 3
}
int main(void) { RUN(first, second); }
