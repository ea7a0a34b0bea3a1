// Semaphores, atomic operations, barriers and joins are steps, too; each access is between the two that were next to it.
// EXPECT race
// OPTIONS explain=1
// HAS Thread T1 last synchronised before its access by an atomic write of 0x[0-9a-f]+ at .*explain_steps.c:20; after it, first by sem_post of 0x[0-9a-f]+ at .*explain_steps.c:22\.
// HAS The main thread last synchronised before its access by joining thread T2 at .*explain_steps.c:36; after it, not yet\.
// HAS Thread T1 last synchronised before its access by pthread_barrier_wait of 0x[0-9a-f]+ at .*explain_steps.c:23; after it, first by its end\.
// HAS The main thread last synchronised before its access by an atomic write of 0x[0-9a-f]+ at .*explain_steps.c:39; after it, not yet\.
// HAS The main thread knew what thread T1 had done up to sem_post of 0x[0-9a-f]+ at .*explain_steps.c:22; the earlier access came later\.
#include <semaphore.h>
#include <stdatomic.h>

#include "order.h"

int x, y;
atomic_int flag, seen;
sem_t done;
pthread_barrier_t alone;

static void* worker(void* unused) {
  atomic_store(&flag, 1);
  x = 1;  // race x
  sem_post(&done);
  pthread_barrier_wait(&alone);
  y = 1;  // race y
  reach(1);
  return unused;
}
static void* idle(void* unused) { return unused; }
int main(void) {
  sem_init(&done, 0, 0);
  pthread_barrier_init(&alone, 0, 1);
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, idle, 0);
  await(1);
  pthread_join(b, 0);
  x = 2;  // race x
  sem_wait(&done);
  atomic_store(&seen, 2);
  (void)atomic_load(&seen);
  y = 2;  // race y
  pthread_join(a, 0);
}
