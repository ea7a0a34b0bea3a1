// The end of a program. Registering a function for exit is ordered before its call. If the main thread left by
// pthread_exit and then runs such functions, the C library has waited for the end of all other threads. The exit status
// says that something was reported, even if the program ends without calling such functions. But a failure that the
// program itself reports keeps its status.
#include <cstddef>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

struct AtExit {
  void (*function)(void*);
  void* argument;
  uintptr_t installed_at;
};
struct OnExit {
  void (*function)(int, void*);
  void* argument;
  uintptr_t installed_at;
};

// The record stays: functions run once, and the program is about to end (or a library to go).
void run_at_exit(void* data) {
  const AtExit call = *static_cast<AtExit*>(data);
  {
    Entry entry(DEADHEAT_CALLER);
    exit_function_begins(entry);
    acquire(entry, data);
  }
  const Entry frame(
      reinterpret_cast<void*>(call.installed_at));  // stacks of the function begin with where it was registered
  call.function(call.argument);
}
void run_on_exit(int status, void* data) {
  const OnExit call = *static_cast<OnExit*>(data);
  {
    Entry entry(DEADHEAT_CALLER);
    exit_function_begins(entry);
    acquire(entry, data);
  }
  const Entry frame(
      reinterpret_cast<void*>(call.installed_at));  // stacks of the function begin with where it was registered
  call.function(status, call.argument);
}

}  // namespace

DEADHEAT_REAL_OF(int, __cxa_atexit, void (*)(void*), void*, void*)
namespace {
int call_at_exit(const Entry& entry, AtExit wanted, void* library) {
  AtExit* call = make<AtExit>(wanted);
  release(entry, call);
  return REAL(__cxa_atexit)(run_at_exit, call, library);
}
}  // namespace
extern "C" __attribute__((visibility("default"))) int intercept_cxa_atexit(void (*function)(void*), void* argument,
                                                                           void* library) __asm__("__cxa_atexit");
extern "C" __attribute__((visibility("default"))) int intercept_cxa_atexit(void (*function)(void*), void* argument,
                                                                           void* library) {
  Entry entry(DEADHEAT_CALLER);
  return call_at_exit(entry, {function, argument, pc_in(Called::kCxaAtExit, DEADHEAT_CALLER)}, library);
}
DEADHEAT_INTERCEPT(int, on_exit, void (*function)(int, void*), void* argument) {
  Entry entry(DEADHEAT_CALLER);
  OnExit* call = make<OnExit>(function, argument, pc_in(Called::kOnExit, DEADHEAT_CALLER));
  release(entry, call);
  return REAL(on_exit)(run_on_exit, call);
}
// Usually linked into each module from the C library's static part, with that module's handle. A module that was linked
// against a run time's own gets this one, and its functions run at the end of the program.
extern "C" __attribute__((visibility("default"))) int intercept_atexit(void (*function)()) __asm__("atexit");
extern "C" __attribute__((visibility("default"))) int intercept_atexit(void (*function)()) {
  Entry entry(DEADHEAT_CALLER);
  return call_at_exit(entry,
                      {[](void* f) { reinterpret_cast<void (*)()>(f)(); }, reinterpret_cast<void*>(function),
                       pc_in(Called::kAtExit, DEADHEAT_CALLER)},
                      nullptr);
}

// ---- ending at once ----

namespace {

int final_status(void* caller, int status) {
  const Entry entry(caller);
  return ending_at_once(entry, status);
}

}  // namespace

DEADHEAT_INTERCEPT(void, _exit, int status) { REAL(_exit)(final_status(DEADHEAT_CALLER, status)); }
DEADHEAT_INTERCEPT(void, _Exit, int status) { REAL(_Exit)(final_status(DEADHEAT_CALLER, status)); }
DEADHEAT_INTERCEPT(void, quick_exit, int status) { REAL(quick_exit)(final_status(DEADHEAT_CALLER, status)); }
