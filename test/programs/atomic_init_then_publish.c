// A plain initialisation before the object is published, atomic use afterwards.
// EXPECT none
#include "order.h"
struct Node {
  int count;
};
struct Node* published;
static void first(void) {
  struct Node* node = malloc(sizeof *node);
  node->count = 1;
  __atomic_store_n(&published, node, __ATOMIC_RELEASE);
}
static void second(void) {
  struct Node* node;
  while ((node = __atomic_load_n(&published, __ATOMIC_ACQUIRE)) == NULL) sched_yield();
  __atomic_fetch_add(&node->count, 1, __ATOMIC_RELAXED);
}
int main(void) { RUN(first, second); }
