// Ten threads read; the writer is ordered after nine of them.
// EXPECT race
// HAS Previous read
#include "order.h"
int x;
static void reader(void) { USE(x); }
static void last_reader(void) {
  USE(x);  // race
  reach(1);
}
int main(void) {
  pthread_t readers[9];
  for (int i = 0; i < 9; ++i) readers[i] = start(reader);
  pthread_t last = start(last_reader);
  for (int i = 0; i < 9; ++i) join(readers[i]);
  await(1);
  x = 1;  // race
  join(last);
}
