// The half of the player that must stay unseen: compiled without instrumentation, so that the turns which force the
// order of events order nothing for the detector.
//
//   player FILE     lines "thread operation operand size order"; prints the address of the memory that is played on
#include "player.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kEvents = 4096, kThreads = 64, kLocks = 8, kBytes = 4096 };

struct event {
  int thread;
  char operation[8];
  unsigned operand;
  int size;
  int order;
};

static struct event events[kEvents];
static int count;
static int turn;
static pthread_t threads[kThreads];
static pthread_mutex_t mutexes[kLocks];
static pthread_rwlock_t rwlocks[kLocks];
static sem_t semaphores[kLocks];
static _Alignas(64) unsigned char memory[kBytes];

static void* play(void* self);

static void check(int error, const struct event* e) {
  if (error == 0) return;
  fprintf(stderr, "player: event %d, %s: %s\n", (int)(e - events), e->operation, strerror(error));
  _Exit(3);
}

static void perform(const struct event* e) {
  const char* o = e->operation;
  void* p = memory + e->operand;
  if (strcmp(o, "r") == 0) return read_bytes(p, e->size);
  if (strcmp(o, "w") == 0) return write_bytes(p, e->size);
  if (strcmp(o, "ld") == 0) return load(p, e->size, (enum order)e->order);
  if (strcmp(o, "st") == 0) return store(p, e->size, (enum order)e->order);
  if (strcmp(o, "rmw") == 0) return modify(p, e->size, (enum order)e->order);
  if (strcmp(o, "fence") == 0) return fence((enum order)e->order);
  if (strcmp(o, "acq") == 0) return check(pthread_mutex_lock(&mutexes[e->operand]), e);
  if (strcmp(o, "rel") == 0) return check(pthread_mutex_unlock(&mutexes[e->operand]), e);
  if (strcmp(o, "wacq") == 0) return check(pthread_rwlock_wrlock(&rwlocks[e->operand]), e);
  if (strcmp(o, "racq") == 0) return check(pthread_rwlock_rdlock(&rwlocks[e->operand]), e);
  if (strcmp(o, "rwrel") == 0) return check(pthread_rwlock_unlock(&rwlocks[e->operand]), e);
  if (strcmp(o, "post") == 0) return check(sem_post(&semaphores[e->operand]), e);
  if (strcmp(o, "swait") == 0) return check(sem_wait(&semaphores[e->operand]), e);
  if (strcmp(o, "fork") == 0)
    return check(pthread_create(&threads[e->operand], NULL, play, (void*)(uintptr_t)e->operand), e);
  if (strcmp(o, "join") == 0) return check(pthread_join(threads[e->operand], NULL), e);
  fprintf(stderr, "player: unknown operation %s\n", o);
  _Exit(3);
}

static void* play(void* self) {
  const int me = (int)(uintptr_t)self;
  for (int i = 0; i < count; ++i) {
    if (events[i].thread != me) continue;
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i) sched_yield();
    perform(&events[i]);
    __atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  FILE* in = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (in == NULL) return 3;
  struct event* e = events;
  while (count < kEvents &&
         fscanf(in, "%d %7s %u %d %d", &e->thread, e->operation, &e->operand, &e->size, &e->order) == 5)
    ++count, ++e;
  fclose(in);
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&mutexes[i], NULL);
    pthread_rwlock_init(&rwlocks[i], NULL);
    sem_init(&semaphores[i], 0, 0);
  }
  printf("%lu\n", (unsigned long)(uintptr_t)memory);
  fflush(stdout);
  play(NULL);
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != count) sched_yield();
  return 0;
}
