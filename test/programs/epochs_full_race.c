// What a thread does that begins when no epoch has an id left is compared with what others did before.
// EXPECT race
// OPTIONS epoch_chunks=4
// HAS deadheat: all 2\^27 epochs are in use: from here on races may be missed
#include "order.h"
int x;
static void* idle(void* step) {
  reach((int)(intptr_t)step);
  await(4);
  return step;
}
static void* late(void* unused) {
  reach(3);
  await(4);
  x = 2;  // race
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    MUST(pthread_create(&threads[i], NULL, i < 2 ? idle : late, (void*)(intptr_t)(i + 1)) == 0);
    await(i + 1);
  }
  x = 1;  // race
  reach(4);
  for (int i = 0; i < 3; ++i) MUST(pthread_join(threads[i], NULL) == 0);
}
