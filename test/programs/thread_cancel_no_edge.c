// To cancel a thread orders nothing: its cleanup handler runs beside the canceller.
// EXPECT race
#include <unistd.h>

#include "order.h"
int x;
static void cleanup(void* argument) {
  (void)argument;
  USE(x);  // race
}
static void child(void) {
  pthread_cleanup_push(cleanup, NULL);
  reach(1);
  for (;;) pause();
  pthread_cleanup_pop(0);
}
int main(void) {
  pthread_t thread = start(child);
  await(1);
  x = 1;  // race
  pthread_cancel(thread);
  join(thread);
}
