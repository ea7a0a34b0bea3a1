// A set of locks is held while ids of others come and go; nothing else names it until the end.
// EXPECT race
// OPTIONS detect_deadlocks=0:path_nodes=100
// HAS Previous write of size 4 .*\(mutexes: write M[0-9]+, write M[0-9]+\)
// HAS both locks
#include <semaphore.h>
#include <stdio.h>

#define ORDER_INVISIBLE  // else the words that order them name the set
#include "order.h"
enum { kLocks = 120 };
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t outer[kLocks], inner[kLocks];
static sem_t written;
int x, z, changing;

int __tsan_get_report_mutex(void* report, unsigned long index, uint64_t* id, void** address, int* destroyed,
                            void** trace, unsigned long capacity);
void __tsan_on_report(void* report) {
  uint64_t id;
  void *first = NULL, *second = NULL;
  int destroyed;
  __tsan_get_report_mutex(report, 0, &id, &first, &destroyed, NULL, 0);
  __tsan_get_report_mutex(report, 1, &id, &second, &destroyed, NULL, 0);
  if (first == &a && second == &b) fprintf(stderr, "both locks\n");
}

static void holder(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  z = 1;  // the set has an id now
  sem_post(&written);
  await(2);
  x = 1;  // race
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  reach(3);
}
static void other(void) {
  sem_wait(&written);
  z = 2;  // now nothing but the thread names it
  for (int i = 0; i < kLocks; ++i)
    for (int j = 0; j < kLocks; ++j) {
      pthread_mutex_lock(&outer[i]);
      pthread_mutex_lock(&inner[j]);
      changing = 1;
      pthread_mutex_unlock(&inner[j]);
      pthread_mutex_unlock(&outer[i]);
    }
  reach(2);
  await(3);
  x = 2;  // race
}
int main(void) {
  sem_init(&written, 0, 0);
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&outer[i], NULL);
    pthread_mutex_init(&inner[i], NULL);
  }
  RUN(holder, other);
}
