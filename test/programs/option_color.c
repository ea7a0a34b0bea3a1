// EXPECT race
// OPTIONS color=always
// HAS .\[1m.\[31mWARNING: ThreadSanitizer: data race
#include "order.h"
int x;
static void first(void) {
  x = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) { RUN(first, second); }
