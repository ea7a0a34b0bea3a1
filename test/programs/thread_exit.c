// pthread_exit ends a thread like a return.
// EXPECT none
#include "order.h"
int x;
static void deeper(void) {
  x = 1;
  pthread_exit(NULL);
}
static void child(void) { deeper(); }
int main(void) {
  join(start(child));
  x = 2;
}
