// Reader-writer locks, spin locks, and the locks of streams.
//
// A reader takes what writers released; a writer takes what readers and writers released. An unlock ends the mode in
// which its thread holds the lock.
#include <pthread.h>

#include <cstdio>

#include "capture/intercept_lock.h"

using namespace deadheat::live;

// ---- reader-writer locks ----

DEADHEAT_WATCHED(int, pthread_rwlock_init, (pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes),
                 lock_made(entry, lock, REAL(pthread_rwlock_init)(lock, attributes)))
DEADHEAT_WATCHED(int, pthread_rwlock_destroy, (pthread_rwlock_t* lock), mutex_destroying(entry, lock),
                 lock_destroyed(entry, lock, REAL(pthread_rwlock_destroy)(lock)))
DEADHEAT_LOCKED(Called::kReadLock, int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock),
                mutex_locking(entry, lock, LockMode::kRead),
                lock_taken(entry, lock, REAL(pthread_rwlock_rdlock)(lock), LockMode::kRead))
DEADHEAT_WATCHED(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t* lock),
                 lock_taken(entry, lock, REAL(pthread_rwlock_tryrdlock)(lock), LockMode::kRead))
DEADHEAT_WATCHED(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t* lock, const timespec* until),
                 lock_taken(entry, lock, REAL(pthread_rwlock_timedrdlock)(lock, until), LockMode::kRead))
DEADHEAT_WATCHED(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t* lock, clockid_t clock, const timespec* until),
                 lock_taken(entry, lock, REAL(pthread_rwlock_clockrdlock)(lock, clock, until), LockMode::kRead))
DEADHEAT_LOCKED(Called::kWriteLock, int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), mutex_locking(entry, lock),
                lock_taken(entry, lock, REAL(pthread_rwlock_wrlock)(lock)))
DEADHEAT_WATCHED(int, pthread_rwlock_trywrlock, (pthread_rwlock_t* lock),
                 lock_taken(entry, lock, REAL(pthread_rwlock_trywrlock)(lock)))
DEADHEAT_WATCHED(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t* lock, const timespec* until),
                 lock_taken(entry, lock, REAL(pthread_rwlock_timedwrlock)(lock, until)))
DEADHEAT_WATCHED(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t* lock, clockid_t clock, const timespec* until),
                 lock_taken(entry, lock, REAL(pthread_rwlock_clockwrlock)(lock, clock, until)))
DEADHEAT_LOCKED(Called::kReadWriteUnlock, int, pthread_rwlock_unlock, (pthread_rwlock_t * lock),
                mutex_unlock(entry, lock), REAL(pthread_rwlock_unlock)(lock))

// ---- spin locks ----

DEADHEAT_WATCHED(int, pthread_spin_init, (pthread_spinlock_t* lock, int shared),
                 lock_made(entry, lock, REAL(pthread_spin_init)(lock, shared)))
DEADHEAT_WATCHED(int, pthread_spin_destroy, (pthread_spinlock_t* lock), mutex_destroying(entry, const_cast<int*>(lock)),
                 lock_destroyed(entry, lock, REAL(pthread_spin_destroy)(lock)))
DEADHEAT_LOCKED(Called::kSpinLock, int, pthread_spin_lock, (pthread_spinlock_t * lock),
                mutex_locking(entry, const_cast<int*>(lock)), lock_taken(entry, lock, REAL(pthread_spin_lock)(lock)))
DEADHEAT_WATCHED(int, pthread_spin_trylock, (pthread_spinlock_t* lock),
                 lock_taken(entry, lock, REAL(pthread_spin_trylock)(lock)))
DEADHEAT_LOCKED(Called::kSpinUnlock, int, pthread_spin_unlock, (pthread_spinlock_t * lock),
                mutex_unlock(entry, const_cast<int*>(lock)), REAL(pthread_spin_unlock)(lock))

// The lock of a stream, where the program takes it itself.
DEADHEAT_INTERCEPT(void, flockfile, FILE* stream) {
  Entry entry(DEADHEAT_CALLER);
  REAL(flockfile)(stream);
  acquire(entry, stream);
}
DEADHEAT_INTERCEPT(int, ftrylockfile, FILE* stream) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(ftrylockfile)(stream);
  if (result == 0) acquire(entry, stream);
  return result;
}
DEADHEAT_WATCHED(void, funlockfile, (FILE * stream), release(entry, stream), REAL(funlockfile)(stream))
