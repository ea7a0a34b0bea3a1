// The memory around a mutex is unmapped without a destroy; what lies there afterwards is another mutex.
// EXPECT race
#include <sys/mman.h>

#include "order.h"
int x;
static pthread_mutex_t* mutex;
static void first(void) {
  x = 1;  // race
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  munmap(mutex, 4096);
  MUST(mmap(mutex, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == mutex);
  reach(1);
}
static void second(void) {
  await(1);
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  x = 2;  // race
}
int main(void) {
  mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(mutex != MAP_FAILED);
  RUN(first, second);
}
