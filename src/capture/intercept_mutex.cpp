// Mutexes: the pattern that other interceptors follow.
#include <pthread.h>

#include <cerrno>

#include "capture/intercept_lock.h"

using namespace deadheat::live;

namespace {

// A lock whose owner died is held all the same (robust mutexes).
int mutex_taken(const Entry& entry, pthread_mutex_t* mutex, int result) {
  if (__builtin_expect(result == 0, 1))
    pthread_lock(entry, mutex);
  else if (result == EOWNERDEAD)
    mutex_lock(entry, mutex, LockMode::kWrite, {.owner_died = true});
  else if (result == EINVAL)
    mutex_invalid(entry, mutex);
  return result;
}

}  // namespace

DEADHEAT_WATCHED(int, pthread_mutex_init, (pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes),
                 lock_made(entry, mutex, REAL(pthread_mutex_init)(mutex, attributes)))
DEADHEAT_WATCHED(int, pthread_mutex_destroy, (pthread_mutex_t* mutex), mutex_destroying(entry, mutex),
                 lock_destroyed(entry, mutex, REAL(pthread_mutex_destroy)(mutex)))
DEADHEAT_LOCKED(Called::kMutexLock, int, pthread_mutex_lock, (pthread_mutex_t * mutex), mutex_locking(entry, mutex),
                mutex_taken(entry, mutex, REAL(pthread_mutex_lock)(mutex)))
DEADHEAT_LOCKED(Called::kMutexTryLock, int, pthread_mutex_trylock, (pthread_mutex_t * mutex),
                mutex_taken(entry, mutex, REAL(pthread_mutex_trylock)(mutex)))
DEADHEAT_WATCHED(int, pthread_mutex_timedlock, (pthread_mutex_t* mutex, const timespec* until),
                 mutex_taken(entry, mutex, REAL(pthread_mutex_timedlock)(mutex, until)))
DEADHEAT_WATCHED(int, pthread_mutex_clocklock, (pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
                 mutex_taken(entry, mutex, REAL(pthread_mutex_clocklock)(mutex, clock, until)))
DEADHEAT_LOCKED(Called::kMutexUnlock, int, pthread_mutex_unlock, (pthread_mutex_t * mutex),
                pthread_unlock(entry, mutex), REAL(pthread_mutex_unlock)(mutex))
// The same under other names, which old objects and some libraries import.
extern "C" {
__attribute__((visibility("default"), alias("pthread_mutex_lock"))) int __pthread_mutex_lock(pthread_mutex_t*);
__attribute__((visibility("default"), alias("pthread_mutex_unlock"))) int __pthread_mutex_unlock(pthread_mutex_t*);
}
