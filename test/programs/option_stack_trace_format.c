// EXPECT race
// OPTIONS stack_trace_format="    #%n <%f> in %s:%l"
// HAS ^    #0 <second> in .*/option_stack_trace_format.c:12$
#include "order.h"
int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(first, second); }
