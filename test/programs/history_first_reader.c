// Ten threads read; the writer is ordered after all but the first of them.
// EXPECT race
#include "order.h"
int x;
static void first_reader(void) {
  USE(x);  // race
  reach(1);
}
static void reader(void) { USE(x); }
int main(void) {
  pthread_t first = start(first_reader);
  await(1);
  pthread_t readers[9];
  for (int i = 0; i < 9; ++i) readers[i] = start(reader);
  for (int i = 0; i < 9; ++i) join(readers[i]);
  x = 1;  // race
  join(first);
}
