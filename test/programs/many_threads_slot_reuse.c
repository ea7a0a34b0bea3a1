// A slot that is used again must not hide a race with its former owner: the first thread was never joined by anybody
// whom the later threads know of.
// EXPECT race
#include "order.h"
int x, y;
static pthread_t early;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void idle(void) { y = 1; }
static void creator(void) {
  await(1);
  for (int i = 0; i < 300; ++i) join(start(idle));
  reach(2);
}
static void joiner(void) {
  await(1);
  join(early);
}
static void last(void) {
  await(2);
  x = 2;  // race
}
int main(void) {
  early = start(first);
  RUN(joiner, creator, last);
}
