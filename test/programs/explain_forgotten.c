// What a thread did before more steps than are kept is said to be not known; memory that is handed out anew begins anew.
// EXPECT race
// OPTIONS explain=1
// HAS What thread T1 did around its access to synchronise is so long ago that it is not known any more\.
// HASNOT Thread T1 (did not|last) synchronise
// HASNOT other access
#include <stdlib.h>

#include "order.h"

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int* shared;
int bystander;

static void* early(void* unused) {
  pthread_mutex_lock(&guard);
  pthread_mutex_unlock(&guard);
  int* volatile const first = malloc(24);
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&guard);
    *first = i;
    pthread_mutex_unlock(&guard);
  }
  free(first);
  int* const second = malloc(24);
  *second = 1;  // race
  __atomic_store_n(&shared, second, __ATOMIC_RELAXED);
  for (int i = 0; i < 2000; ++i) {
    pthread_mutex_lock(&guard);
    bystander = i;
    pthread_mutex_unlock(&guard);
  }
  reach(1);
  await(2);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, early, 0);
  await(1);
  int* const mine = __atomic_load_n(&shared, __ATOMIC_RELAXED);
  *mine = 2;  // race
  reach(2);
  pthread_join(a, 0);
}
