// What the interceptors of all kinds of locks have in common: mutexes, reader-writer locks, spin locks, those of C11.
//
// Each function stands around the real operation and returns its result, so that interceptors take the short form
// (intercept.h). DEADHEAT_LOCKED is that form for operations on hot paths, which push no frame (live/paths/called.h).
#pragma once

#include "capture/intercept.h"

#define DEADHEAT_LOCKED(called, result, name, parameters, ...)      \
  DEADHEAT_INTERCEPT(result, name, DEADHEAT_UNWRAPPED parameters) { \
    ::deadheat::live::Entry entry(called, DEADHEAT_CALLER);         \
    return __VA_ARGS__;                                             \
  }

namespace deadheat::live {

inline int lock_made(const Entry& entry, const volatile void* lock, int result) {
  if (result == 0) mutex_create(entry, const_cast<const void*>(lock));
  return result;
}
// After mutex_destroying.
inline int lock_destroyed(const Entry& entry, const volatile void* lock, int result) {
  if (result == 0) mutex_destroy(entry, const_cast<const void*>(lock));
  return result;
}
inline int lock_taken(const Entry& entry, const volatile void* lock, int result, LockMode mode = LockMode::kWrite) {
  if (result == 0) mutex_lock(entry, const_cast<const void*>(lock), mode);
  return result;
}

}  // namespace deadheat::live
