// What programs say to the run time by name: acquire and release, mutexes of their own, ranges to forget or ignore, and
// the dynamic annotations of old.
#include <sys/types.h>

#include "runtime/api.h"
#include "runtime/thread.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void __tsan_acquire(void* object) {
  Entry entry(DEADHEAT_CALLER);
  acquire(entry, object);
}
EXPORT void __tsan_release(void* object) {
  Entry entry(DEADHEAT_CALLER);
  release(entry, object);
}

namespace {
constexpr unsigned kReadLock = 1u << 3;
constexpr unsigned kTryLock = 1u << 4;
constexpr unsigned kTryLockFailed = 1u << 5;
}  // namespace

EXPORT void __tsan_mutex_create(void* mutex, unsigned) {
  Entry entry(DEADHEAT_CALLER);
  mutex_create(entry, mutex);
}
EXPORT void __tsan_mutex_destroy(void* mutex, unsigned) {
  Entry entry(DEADHEAT_CALLER);
  mutex_destroy(entry, mutex);
}
EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
EXPORT void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) {
  Entry entry(DEADHEAT_CALLER);
  if ((flags & kTryLock) != 0 && (flags & kTryLockFailed) != 0) return;
  mutex_lock(entry, mutex, (flags & kReadLock) != 0 ? LockMode::kRead : LockMode::kWrite);
}
EXPORT int __tsan_mutex_pre_unlock(void* mutex, unsigned) {
  Entry entry(DEADHEAT_CALLER);
  mutex_unlock(entry, mutex);
  return 1;
}
EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {}
EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}

#define ANNOTATE(name, ...) EXPORT void name(const char* file, int line, ##__VA_ARGS__)
#define IGNORE_PLACE static_cast<void>(file), static_cast<void>(line)

ANNOTATE(AnnotateHappensBefore, void* object) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  release(entry, object);
}
ANNOTATE(AnnotateHappensAfter, void* object) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  acquire(entry, object);
}
ANNOTATE(AnnotateRWLockCreate, void* lock) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  mutex_create(entry, lock);
}
ANNOTATE(AnnotateRWLockCreateStatic, void* lock) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  mutex_create(entry, lock);
}
ANNOTATE(AnnotateRWLockDestroy, void* lock) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  mutex_destroy(entry, lock);
}
ANNOTATE(AnnotateRWLockAcquired, void* lock, long is_writer) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  mutex_lock(entry, lock, is_writer != 0 ? LockMode::kWrite : LockMode::kRead);
}
ANNOTATE(AnnotateRWLockReleased, void* lock, long) {
  IGNORE_PLACE;
  Entry entry(DEADHEAT_CALLER);
  mutex_unlock(entry, lock);
}
ANNOTATE(AnnotateNewMemory, void* begin, size_t bytes) {
  IGNORE_PLACE;
  fresh_range(begin, bytes);
}
