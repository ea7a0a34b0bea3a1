// A heap that is made smaller while another thread uses its end.
// EXPECT race
#include <unistd.h>

#include "order.h"
static char* memory;
static void uses(void) {
  memory[10] = 1;  // race
  reach(1);
}
static void shrinks(void) {
  await(1);
  MUST(sbrk(-4096) == memory + 4096);  // race
}
int main(void) {
  memory = sbrk(4096);
  RUN(uses, shrinks);
}
