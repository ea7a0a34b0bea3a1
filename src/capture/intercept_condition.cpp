// Condition variables: a wait is an unlock, then a lock, of its mutex. Signal and broadcast order nothing, but they use
// the object: it must not be freed meanwhile.
//
// A cancelled wait has its mutex back when the program's cleanup handlers run. We learn of it from the C library's own
// cleanup list, which needs no exceptions.
#include <pthread.h>
#include <threads.h>

#include "capture/intercept.h"

// Exported by the C library for programs compiled without exceptions; its headers only declare them in C.
extern "C" void _pthread_cleanup_push(_pthread_cleanup_buffer* buffer, void (*routine)(void*), void* argument);
extern "C" void _pthread_cleanup_pop(_pthread_cleanup_buffer* buffer, int execute);

using namespace deadheat::live;

namespace {

struct Wait {
  Entry& entry;
  const void* mutex;
  uint32_t levels;
};

void wait_cancelled(void* data) {
  Wait& wait = *static_cast<Wait*>(data);
  mutex_lock_again(wait.entry, wait.mutex, wait.levels);
  wait.entry.~Entry();  // the frame is unwound without running destructors
}

// Whatever the result, the mutex is held again: also after a time-out, and after an error nothing was given up.
template <class RealWait>
int wait_with(void* caller, const void* mutex, RealWait real_wait) {
  Entry entry(caller);
  Wait wait{entry, mutex, mutex_unlock_all(entry, mutex)};
  _pthread_cleanup_buffer buffer;
  _pthread_cleanup_push(&buffer, wait_cancelled, &wait);
  const int result = real_wait();
  _pthread_cleanup_pop(&buffer, 0);
  mutex_lock_again(entry, mutex, wait.levels);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_cond_init, pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  return REAL(pthread_cond_init)(condition, attributes);
}
DEADHEAT_INTERCEPT(int, pthread_cond_destroy, pthread_cond_t* condition) {
  return REAL(pthread_cond_destroy)(condition);
}
DEADHEAT_WATCHED(int, pthread_cond_signal, (pthread_cond_t* condition), use_object(entry, condition),
                 REAL(pthread_cond_signal)(condition))
DEADHEAT_WATCHED(int, pthread_cond_broadcast, (pthread_cond_t* condition), use_object(entry, condition),
                 REAL(pthread_cond_broadcast)(condition))
DEADHEAT_INTERCEPT(int, pthread_cond_wait, pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_with(DEADHEAT_CALLER, mutex, [&] { return REAL(pthread_cond_wait)(condition, mutex); });
}
DEADHEAT_INTERCEPT(int, pthread_cond_timedwait, pthread_cond_t* condition, pthread_mutex_t* mutex,
                   const timespec* until) {
  return wait_with(DEADHEAT_CALLER, mutex, [&] { return REAL(pthread_cond_timedwait)(condition, mutex, until); });
}
DEADHEAT_INTERCEPT(int, pthread_cond_clockwait, pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* until) {
  return wait_with(DEADHEAT_CALLER, mutex,
                   [&] { return REAL(pthread_cond_clockwait)(condition, mutex, clock, until); });
}
DEADHEAT_INTERCEPT(int, cnd_wait, cnd_t* condition, mtx_t* mutex) {
  return wait_with(DEADHEAT_CALLER, mutex, [&] { return REAL(cnd_wait)(condition, mutex); });
}
DEADHEAT_INTERCEPT(int, cnd_timedwait, cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return wait_with(DEADHEAT_CALLER, mutex, [&] { return REAL(cnd_timedwait)(condition, mutex, until); });
}
