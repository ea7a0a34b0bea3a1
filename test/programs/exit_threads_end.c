// Threads that end while the program exits.
// EXPECT none
// OPTIONS report_thread_leaks=0
#include "order.h"
static void ends(void) { reach(1); }
static void more(void) {
  for (int i = 0; i < 50; ++i) pthread_detach(start(ends));
}
static void at_end(void) {
  more();
  await(1);
}
int main(void) {
  atexit(at_end);
  more();
}
