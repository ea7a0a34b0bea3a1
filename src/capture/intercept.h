// How an interceptor is written:
//
//   DEADHEAT_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t* mutex) {
//     Entry entry(DEADHEAT_CALLER);
//     const int result = REAL(pthread_mutex_lock)(mutex);
//     if (result == 0 || result == EOWNERDEAD) mutex_lock(entry, mutex);
//     return result;
//   }
//
// This defines an exported function of that name. REAL(name) is the next definition in search order (libc's default
// version). The C++ name of the interceptor is intercept_NAME, so names that a compiler would mangle, or that headers
// declare `noexcept`, are no problem. live/api.h says which calls come before the real operation and which after it.
//
// Where nothing else is to be done than to call something with the result, or something before, there is a short form.
// The parameters stand in parentheses, then come the expressions; the last one is the result:
//
//   DEADHEAT_WATCHED(int, sem_wait, (sem_t* s), after_wait(entry, s, REAL(sem_wait)(s)))
//   DEADHEAT_WATCHED(int, sem_post, (sem_t* s), release(entry, s), REAL(sem_post)(s))
#pragma once

#include <atomic>

#include "live/api.h"

namespace deadheat::live {

template <class Function>
struct Real {
  std::atomic<Function*> function;
  const char* name;
  Function* get() {
    calling_out(Runs::kLibrary);
    Function* found = function.load(std::memory_order_relaxed);
    if (__builtin_expect(found == nullptr, 0)) {
      found = reinterpret_cast<Function*>(next_definition(name));
      function.store(found, std::memory_order_relaxed);
    }
    return found;
  }
};

}  // namespace deadheat::live

// The real function, where another file intercepts it.
#define DEADHEAT_REAL_OF(result, name, ...)                                    \
  namespace deadheat::live {                                                   \
  inline constinit Real<result(__VA_ARGS__)> real_##name = {{nullptr}, #name}; \
  }
#define REAL(name) (::deadheat::live::real_##name.get())

// Programs with an own function of the name reach ours as __interceptor_NAME.
#define DEADHEAT_ALSO_AS(name)                                                                                  \
  __asm__(".globl __interceptor_" #name "\n.type __interceptor_" #name ", @function\n.set __interceptor_" #name \
          ", " #name);

#define DEADHEAT_INTERCEPT(result, name, ...)                                                            \
  DEADHEAT_REAL_OF(result, name, __VA_ARGS__)                                                            \
  extern "C" __attribute__((visibility("default"))) result intercept_##name(__VA_ARGS__) __asm__(#name); \
  DEADHEAT_ALSO_AS(name)                                                                                 \
  extern "C" __attribute__((visibility("default"))) result intercept_##name(__VA_ARGS__)

#define DEADHEAT_UNWRAPPED(...) __VA_ARGS__
#define DEADHEAT_WATCHED(result, name, parameters, ...)             \
  DEADHEAT_INTERCEPT(result, name, DEADHEAT_UNWRAPPED parameters) { \
    ::deadheat::live::Entry entry(DEADHEAT_CALLER);                 \
    return __VA_ARGS__;                                             \
  }
