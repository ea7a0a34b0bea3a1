// EXPECT none
#include "order.h"
static __thread volatile int x[100];
static void body(void) {
  for (int i = 0; i < 100; ++i) x[i]++;
}
int main(void) { RUN(body, body, body); }
