// EXPECT none
#include <time.h>

#include "order.h"
int x;
static void child(void) { x = 1; }
int main(void) {
  pthread_t thread = start(child);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1000;
  MUST(pthread_timedjoin_np(thread, NULL, &until) == 0);
  x = 2;
}
