// Reader-writer locks and spin locks.
//
// A reader takes what writers released; a writer takes what readers and writers released. An unlock ends the mode in
// which its thread holds the lock.
#include <pthread.h>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

int after_lock(const Entry& entry, const volatile void* lock, int result, LockMode mode) {
  if (result == 0) mutex_lock(entry, const_cast<const void*>(lock), mode);
  return result;
}

}  // namespace

// ---- reader-writer locks ----

DEADHEAT_INTERCEPT(int, pthread_rwlock_init, pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_rwlock_init)(lock, attributes);
  if (result == 0) mutex_create(entry, lock);
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_rwlock_destroy, pthread_rwlock_t* lock) {
  Entry entry(DEADHEAT_CALLER);
  mutex_destroying(entry, lock);
  const int result = REAL(pthread_rwlock_destroy)(lock);
  if (result == 0) mutex_destroy(entry, lock);
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_rwlock_rdlock, pthread_rwlock_t* lock) {
  Entry entry(Called::kReadLock, DEADHEAT_CALLER);
  mutex_locking(entry, lock, LockMode::kRead);
  return after_lock(entry, lock, REAL(pthread_rwlock_rdlock)(lock), LockMode::kRead);
}
DEADHEAT_WATCHED(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t* lock),
                 after_lock(entry, lock, REAL(pthread_rwlock_tryrdlock)(lock), LockMode::kRead))
DEADHEAT_WATCHED(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t* lock, const timespec* until),
                 after_lock(entry, lock, REAL(pthread_rwlock_timedrdlock)(lock, until), LockMode::kRead))
DEADHEAT_WATCHED(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t* lock, clockid_t clock, const timespec* until),
                 after_lock(entry, lock, REAL(pthread_rwlock_clockrdlock)(lock, clock, until), LockMode::kRead))
DEADHEAT_INTERCEPT(int, pthread_rwlock_wrlock, pthread_rwlock_t* lock) {
  Entry entry(Called::kWriteLock, DEADHEAT_CALLER);
  mutex_locking(entry, lock);
  return after_lock(entry, lock, REAL(pthread_rwlock_wrlock)(lock), LockMode::kWrite);
}
DEADHEAT_WATCHED(int, pthread_rwlock_trywrlock, (pthread_rwlock_t* lock),
                 after_lock(entry, lock, REAL(pthread_rwlock_trywrlock)(lock), LockMode::kWrite))
DEADHEAT_WATCHED(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t* lock, const timespec* until),
                 after_lock(entry, lock, REAL(pthread_rwlock_timedwrlock)(lock, until), LockMode::kWrite))
DEADHEAT_WATCHED(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t* lock, clockid_t clock, const timespec* until),
                 after_lock(entry, lock, REAL(pthread_rwlock_clockwrlock)(lock, clock, until), LockMode::kWrite))
DEADHEAT_INTERCEPT(int, pthread_rwlock_unlock, pthread_rwlock_t* lock) {
  Entry entry(Called::kReadWriteUnlock, DEADHEAT_CALLER);
  mutex_unlock(entry, lock);
  return REAL(pthread_rwlock_unlock)(lock);
}

// ---- spin locks ----

DEADHEAT_INTERCEPT(int, pthread_spin_init, pthread_spinlock_t* lock, int shared) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_spin_init)(lock, shared);
  if (result == 0) mutex_create(entry, const_cast<int*>(lock));
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_spin_destroy, pthread_spinlock_t* lock) {
  Entry entry(DEADHEAT_CALLER);
  mutex_destroying(entry, const_cast<int*>(lock));
  const int result = REAL(pthread_spin_destroy)(lock);
  if (result == 0) mutex_destroy(entry, const_cast<int*>(lock));
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_spin_lock, pthread_spinlock_t* lock) {
  Entry entry(Called::kSpinLock, DEADHEAT_CALLER);
  mutex_locking(entry, const_cast<int*>(lock));
  return after_lock(entry, lock, REAL(pthread_spin_lock)(lock), LockMode::kWrite);
}
DEADHEAT_WATCHED(int, pthread_spin_trylock, (pthread_spinlock_t* lock),
                 after_lock(entry, lock, REAL(pthread_spin_trylock)(lock), LockMode::kWrite))
DEADHEAT_INTERCEPT(int, pthread_spin_unlock, pthread_spinlock_t* lock) {
  Entry entry(Called::kSpinUnlock, DEADHEAT_CALLER);
  mutex_unlock(entry, const_cast<int*>(lock));
  return REAL(pthread_spin_unlock)(lock);
}
