// EXPECT none
// OPTIONS coverage=1
// HAS not understood, so what it orders may be .*: flock \(locks of files\), imported by coverage_not_understood
// HAS not understood, so what it orders may be .*: syscall\(SYS_semop\), 2 times, first by .*/coverage_not_understood
// HASNOT understood: all
// HASNOT pthread_
// Locks of files are not understood, nor are system calls past the C library: coverage names them.
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  const int id = semget(IPC_PRIVATE, 1, 0600);
  if (id < 0) return 1;
  struct sembuf up = {0, 1, 0};
  int failed = flock(open("/proc/self/exe", O_RDONLY), LOCK_EX) != 0;
  for (int i = 0; i < 2; ++i) failed |= syscall(SYS_semop, id, &up, 1L) != 0;
  failed |= semctl(id, 0, GETVAL) != 2;
  semctl(id, 0, IPC_RMID);
  return failed;
}
