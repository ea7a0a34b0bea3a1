// Threads that may be cancelled at any time: they must not be cancelled inside the run time, where they would leave
// locks behind.
//
// The C library cancels such a thread by a signal of its own, whose handler unwinds the stack from wherever the thread
// is. Before a thread first asks for this, our handler takes the place of that one. Inside the run time the signal
// waits until the thread leaves, as other signals do. Programs that never ask for it keep the C library's handler.
// Tested by test/programs/cancel_any_time.c, test/pairs
#include <pthread.h>
#include <unistd.h>

#include "capture/intercept.h"

using namespace deadheat::live;

DEADHEAT_REAL_OF(int, pthread_create, pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)
DEADHEAT_REAL_OF(int, pthread_join, pthread_t, void**)
DEADHEAT_REAL_OF(int, pthread_cancel, pthread_t)
DEADHEAT_REAL_OF(int, pause)

namespace {

void* wait_to_be_cancelled(void*) {
  for (;;) REAL(pause)();
}

// The C library sets its handler when the first thread is cancelled: so one is.
void cancel_some_thread() {
  const StayOut stay_out;
  pthread_t thread;
  if (REAL(pthread_create)(&thread, nullptr, wait_to_be_cancelled, nullptr) != 0) return;
  REAL(pthread_cancel)(thread);
  REAL(pthread_join)(thread, nullptr);
}

pthread_once_t waits = PTHREAD_ONCE_INIT;

}  // namespace

DEADHEAT_REAL_OF(int, pthread_once, pthread_once_t*, void (*)())

DEADHEAT_INTERCEPT(int, pthread_setcanceltype, int type, int* old) {
  if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
    REAL(pthread_once)(&waits, [] {
      cancel_some_thread();
      make_cancellation_wait();
    });
  return REAL(pthread_setcanceltype)(type, old);
}
