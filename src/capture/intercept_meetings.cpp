// Where threads meet without holding anything: barriers, semaphores, once, and the initialisation of static locals.
//
// A barrier has one clock for each generation: a slow leaver does not learn what a fast thread brings into the next
// phase. Which post a wait answers cannot be known, so a wait takes what all posts before it brought.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <cstdarg>

#include "capture/intercept.h"
#include "capture/unwinding.h"

using namespace deadheat::live;

// ---- barriers ----

DEADHEAT_INTERCEPT(int, pthread_barrier_init, pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                   unsigned count) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_barrier_init)(barrier, attributes, count);
  if (result == 0) barrier_init(entry, barrier, count);
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_barrier_destroy, pthread_barrier_t* barrier) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_barrier_destroy)(barrier);
  if (result == 0) barrier_destroy(entry, barrier);
  return result;
}
DEADHEAT_INTERCEPT(int, pthread_barrier_wait, pthread_barrier_t* barrier) {
  Entry entry(DEADHEAT_CALLER);
  BarrierGeneration* generation = barrier_enter(entry, barrier);
  const int result = REAL(pthread_barrier_wait)(barrier);
  barrier_leave(entry, generation);
  return result;
}

// ---- semaphores ----

namespace {

int after_wait(const Entry& entry, sem_t* semaphore, int result) {
  if (result == 0) acquire(entry, semaphore);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, sem_init, sem_t* semaphore, int shared, unsigned value) {
  const int result = REAL(sem_init)(semaphore, shared, value);
  if (result == 0) forget(semaphore);
  return result;
}
DEADHEAT_INTERCEPT(int, sem_destroy, sem_t* semaphore) {
  const int result = REAL(sem_destroy)(semaphore);
  if (result == 0) forget(semaphore);
  return result;
}
DEADHEAT_WATCHED(int, sem_wait, (sem_t* semaphore), after_wait(entry, semaphore, REAL(sem_wait)(semaphore)))
DEADHEAT_WATCHED(int, sem_trywait, (sem_t* semaphore), after_wait(entry, semaphore, REAL(sem_trywait)(semaphore)))
DEADHEAT_WATCHED(int, sem_timedwait, (sem_t* semaphore, const timespec* until),
                 after_wait(entry, semaphore, REAL(sem_timedwait)(semaphore, until)))
DEADHEAT_WATCHED(int, sem_clockwait, (sem_t* semaphore, clockid_t clock, const timespec* until),
                 after_wait(entry, semaphore, REAL(sem_clockwait)(semaphore, clock, until)))
DEADHEAT_WATCHED(int, sem_post, (sem_t* semaphore), release(entry, semaphore), REAL(sem_post)(semaphore))
DEADHEAT_INTERCEPT(int, sem_getvalue, sem_t* semaphore, int* value) {
  Entry entry(DEADHEAT_CALLER);
  const int result = after_wait(entry, semaphore, REAL(sem_getvalue)(semaphore, value));
  if (result == 0) write_range(entry, value, sizeof *value);
  return result;
}
// Every open of a name gives the same object in this process, which has its clock by address; the mapping goes with the
// last close.
DEADHEAT_INTERCEPT(sem_t*, sem_open, const char* name, int flags, ...) {
  if ((flags & O_CREAT) == 0) return REAL(sem_open)(name, flags);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  const unsigned value = va_arg(arguments, unsigned);
  va_end(arguments);
  return REAL(sem_open)(name, flags, mode, value);
}

// ---- once ----
//
// The initialiser's end is before every return of a call. It is published by the thread that runs it, before the real
// pthread_once lets the others go on; also where it ends by an exception or cancellation: then the next one to try
// comes after what this one did.

namespace {

struct OnceCall {
  void (*function)();
  void* once;
  void* caller;
  OnceCall* outer;
};
// The innermost call of this thread: the one whose initialiser the C library is about to run.
constinit __thread OnceCall* current_once __attribute__((tls_model("initial-exec"))) = nullptr;

void once_ended(void* data) {
  const OnceCall& call = *static_cast<OnceCall*>(data);
  current_once = call.outer;
  Entry entry(call.caller);
  release(entry, call.once);
}

void run_once() {
  OnceCall* const call = current_once;
  {
    Entry entry(call->caller);
    acquire(entry, call->once);
  }
  deadheat_call_then(call->function, once_ended, call);
}

template <class Once>
int call_once_by(int (*real)(Once*, void (*)()), Once* once, void (*function)(), void* caller) {
  OnceCall call{function, once, caller, current_once};
  current_once = &call;
  const int result = real(once, run_once);
  current_once = call.outer;
  Entry entry(caller);
  if (result == 0) acquire(entry, once);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_once, pthread_once_t* once, void (*function)()) {
  return call_once_by<pthread_once_t>(REAL(pthread_once), once, function, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, call_once, once_flag* once, void (*function)()) {
  // In the C library both are one function on one type.
  call_once_by<pthread_once_t>(REAL(pthread_once), reinterpret_cast<pthread_once_t*>(once), function, DEADHEAT_CALLER);
}

// ---- static locals ----
//
// The compiler's own check of the guard is an atomic load, which finds what was released here at the guard's address.

// Schedulers of cooperative threads define these, to be told before and after a wait.
extern "C" __attribute__((weak, visibility("default"))) void _ZN6__tsan32OnPotentiallyBlockingRegionBeginEv();
extern "C" __attribute__((weak, visibility("default"))) void _ZN6__tsan30OnPotentiallyBlockingRegionEndEv();

DEADHEAT_INTERCEPT(int, __cxa_guard_acquire, void* guard) {
  Entry entry(DEADHEAT_CALLER);
  if (_ZN6__tsan32OnPotentiallyBlockingRegionBeginEv != nullptr) _ZN6__tsan32OnPotentiallyBlockingRegionBeginEv();
  const int must_initialise = REAL(__cxa_guard_acquire)(guard);
  if (_ZN6__tsan30OnPotentiallyBlockingRegionEndEv != nullptr) _ZN6__tsan30OnPotentiallyBlockingRegionEndEv();
  acquire(entry, guard);
  return must_initialise;
}
DEADHEAT_INTERCEPT(void, __cxa_guard_release, void* guard) {
  Entry entry(DEADHEAT_CALLER);
  release_store(entry, guard);
  REAL(__cxa_guard_release)(guard);
}
DEADHEAT_INTERCEPT(void, __cxa_guard_abort, void* guard) {
  Entry entry(DEADHEAT_CALLER);
  release_store(entry, guard);  // the next to try comes after what this one did
  REAL(__cxa_guard_abort)(guard);
}
