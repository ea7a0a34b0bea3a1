// Call paths are collected between the free and the use: what is freed keeps the one of its free, made with locks held.
// EXPECT race
// OPTIONS path_nodes=64
// HAS Previous write of size 8 at 0x[0-9a-f]+ by thread T1 \(mutexes: write M[0-9]+, write M[0-9]+\):
// HASNOT race with free
#include "order.h"
enum { kLocks = 12 };
static int* volatile x;
static pthread_mutex_t mutexes[kLocks];
static int data[1 << kLocks];
static void locked(int which, int lock) {
  for (int i = 0; i < kLocks; ++i)
    if ((which >> i & 1) != 0) lock ? pthread_mutex_lock(&mutexes[i]) : pthread_mutex_unlock(&mutexes[i]);
}
static void first(void) {
  locked(3, 1);
  free(x);  // race
  locked(3, 0);
}
// Sets of locks that are no longer needed.
static void others(void) {
  for (int i = 0; i < 1 << kLocks; ++i) {
    locked(i, 1);
    data[0] = i;
    locked(i, 0);
  }
}
int main(void) {
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&mutexes[i], NULL);
  x = malloc(40);
  join(start(first));
  RUN(others);
  RUN(others);
  USE(x[3]);  // race
}
