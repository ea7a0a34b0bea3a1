// Mutexes: the pattern that other interceptors follow.
#include <pthread.h>

#include <cerrno>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

// A lock whose owner died is held all the same (robust mutexes).
int after_lock(const Entry& entry, pthread_mutex_t* mutex, int result) {
  if (__builtin_expect(result == 0, 1))
    pthread_lock(entry, mutex);
  else if (result == EOWNERDEAD)
    mutex_lock(entry, mutex, LockMode::kWrite, {.owner_died = true});
  else if (result == EINVAL)
    mutex_invalid(entry, mutex);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_mutex_init, pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_mutex_init)(mutex, attributes);
  if (result == 0) mutex_create(entry, mutex);
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_mutex_destroy, pthread_mutex_t* mutex) {
  Entry entry(DEADHEAT_CALLER);
  mutex_destroying(entry, mutex);
  const int result = REAL(pthread_mutex_destroy)(mutex);
  if (result == 0) mutex_destroy(entry, mutex);
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t* mutex) {
  Entry entry(Called::kMutexLock, DEADHEAT_CALLER);
  mutex_locking(entry, mutex);
  return after_lock(entry, mutex, REAL(pthread_mutex_lock)(mutex));
}
DEADHEAT_INTERCEPT(int, pthread_mutex_trylock, pthread_mutex_t* mutex) {
  Entry entry(Called::kMutexTryLock, DEADHEAT_CALLER);
  return after_lock(entry, mutex, REAL(pthread_mutex_trylock)(mutex));
}
DEADHEAT_WATCHED(int, pthread_mutex_timedlock, (pthread_mutex_t* mutex, const timespec* until),
                 after_lock(entry, mutex, REAL(pthread_mutex_timedlock)(mutex, until)))
DEADHEAT_WATCHED(int, pthread_mutex_clocklock, (pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
                 after_lock(entry, mutex, REAL(pthread_mutex_clocklock)(mutex, clock, until)))
DEADHEAT_INTERCEPT(int, pthread_mutex_unlock, pthread_mutex_t* mutex) {
  Entry entry(Called::kMutexUnlock, DEADHEAT_CALLER);
  pthread_unlock(entry, mutex);
  return REAL(pthread_mutex_unlock)(mutex);
}
// The same under other names, which old objects and some libraries import.
extern "C" {
__attribute__((visibility("default"), alias("pthread_mutex_lock"))) int __pthread_mutex_lock(pthread_mutex_t*);
__attribute__((visibility("default"), alias("pthread_mutex_unlock"))) int __pthread_mutex_unlock(pthread_mutex_t*);
}
