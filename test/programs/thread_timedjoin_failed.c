// EXPECT race
#include <time.h>

#include "order.h"
int x;
static void child(void) {
  x = 1;  // race
  reach(1);
  await(2);
}
int main(void) {
  pthread_t thread = start(child);
  await(1);
  struct timespec long_ago = {1, 0};
  MUST(pthread_timedjoin_np(thread, NULL, &long_ago) != 0);
  x = 2;  // race
  reach(2);
  join(thread);
}
