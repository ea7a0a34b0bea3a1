// Functions to be called at exit: what was done before one was registered is known to it.
#include <cstddef>

#include "runtime/api.h"
#include "runtime/heap.h"
#include "runtime/thread.h"

using namespace deadheat::live;

namespace {

struct AtExit {
  void (*function)(void*);
  void* argument;
};
struct OnExit {
  void (*function)(int, void*);
  void* argument;
};

template <class T>
T* keep(T value) {
  ++tls.busy;
  T* kept = static_cast<T*>(heap_allocate(sizeof(T)));
  *kept = value;
  --tls.busy;
  return kept;
}

// The record stays: functions run once, and the program is about to end (or a library to go).
void run_at_exit(void* data) {
  const AtExit call = *static_cast<AtExit*>(data);
  {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, data);
  }
  call.function(call.argument);
}
void run_on_exit(int status, void* data) {
  const OnExit call = *static_cast<OnExit*>(data);
  {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, data);
  }
  call.function(status, call.argument);
}

}  // namespace

DEADHEAT_INTERCEPT(int, __cxa_atexit, void (*function)(void*), void* argument, void* library) {
  Entry entry(DEADHEAT_CALLER);
  AtExit* call = keep(AtExit{function, argument});
  release(entry, call);
  return REAL(__cxa_atexit)(run_at_exit, call, library);
}
DEADHEAT_INTERCEPT(int, on_exit, void (*function)(int, void*), void* argument) {
  Entry entry(DEADHEAT_CALLER);
  OnExit* call = keep(OnExit{function, argument});
  release(entry, call);
  return REAL(on_exit)(run_on_exit, call);
}
// Usually linked into each module from the C library's static part, with that module's handle. A module that was linked
// against a run time's own gets this one, and its functions run at the end of the program.
extern "C" __attribute__((visibility("default"))) int intercept_atexit(void (*function)()) __asm__("atexit");
extern "C" __attribute__((visibility("default"))) int intercept_atexit(void (*function)()) {
  return intercept___cxa_atexit([](void* f) { reinterpret_cast<void (*)()>(f)(); }, reinterpret_cast<void*>(function),
                                nullptr);
}
