// EXPECT none
// OPTIONS coverage=1
// HAS deadheat: understood: all functions known to order threads that modules import
// HAS deadheat: degraded: nothing
// HAS deadheat: suppressed: nothing
// HASNOT not understood
// What coverage says of a program whose threads are ordered by what we know, futexes with atomics included.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static int data;
static atomic_int flag;
static sem_t semaphore;

static void* writer(void* unused) {
  data = 1;
  atomic_store(&flag, 1);
  syscall(SYS_futex, &flag, FUTEX_WAKE, 1, 0, 0, 0);
  sem_post(&semaphore);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, 0, writer, 0);
  while (atomic_load(&flag) == 0) syscall(SYS_futex, &flag, FUTEX_WAIT, 0, 0, 0, 0);
  const int seen = data;
  sem_wait(&semaphore);
  pthread_join(thread, 0);
  return seen - 1;
}
