// C11 threads and mutexes. (Condition variables and call_once are with their POSIX relatives.)
//
// The C library's thrd_create does not call pthread_create by name, so our interceptor would not see the thread start.
// Both make the same kind of thread with the same kind of handle: ours calls pthread_create and pthread_join.
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "capture/intercept_lock.h"

using namespace deadheat::live;

// Ours, from intercept_thread.cpp, called as the program would call them.
extern "C" int intercept_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*),
                                        void*) __asm__("pthread_create");
extern "C" int intercept_pthread_join(pthread_t, void**) __asm__("pthread_join");
extern "C" int intercept_pthread_detach(pthread_t) __asm__("pthread_detach");

namespace {

struct C11Start {
  thrd_start_t function;
  void* argument;
};

// The int result travels in the pointer, as in the C library.
void* run_c11(void* data) {
  const C11Start start = *static_cast<C11Start*>(data);
  unmake(static_cast<C11Start*>(data));
  return reinterpret_cast<void*>(static_cast<intptr_t>(start.function(start.argument)));
}

int thrd_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

static_assert(thrd_success == 0);  // as the functions of intercept_lock.h expect

}  // namespace

DEADHEAT_INTERCEPT(int, thrd_create, thrd_t* thread, thrd_start_t function, void* argument) {
  C11Start* const start = make<C11Start>(function, argument);
  const int error = intercept_pthread_create(thread, nullptr, run_c11, start);
  if (error != 0) unmake(start);
  return error == EAGAIN ? thrd_nomem : thrd_result(error);
}
DEADHEAT_INTERCEPT(int, thrd_join, thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = intercept_pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return thrd_result(error);
}
DEADHEAT_INTERCEPT(int, thrd_detach, thrd_t thread) { return thrd_result(intercept_pthread_detach(thread)); }

DEADHEAT_WATCHED(int, mtx_init, (mtx_t* mutex, int type), lock_made(entry, mutex, REAL(mtx_init)(mutex, type)))
DEADHEAT_INTERCEPT(void, mtx_destroy, mtx_t* mutex) {
  Entry entry(DEADHEAT_CALLER);
  mutex_destroying(entry, mutex);
  REAL(mtx_destroy)(mutex);
  mutex_destroy(entry, mutex);
}
DEADHEAT_WATCHED(int, mtx_lock, (mtx_t* mutex), mutex_locking(entry, mutex),
                 lock_taken(entry, mutex, REAL(mtx_lock)(mutex)))
DEADHEAT_WATCHED(int, mtx_trylock, (mtx_t* mutex), lock_taken(entry, mutex, REAL(mtx_trylock)(mutex)))
DEADHEAT_WATCHED(int, mtx_timedlock, (mtx_t* mutex, const timespec* until),
                 lock_taken(entry, mutex, REAL(mtx_timedlock)(mutex, until)))
DEADHEAT_WATCHED(int, mtx_unlock, (mtx_t* mutex), mutex_unlock(entry, mutex), REAL(mtx_unlock)(mutex))
