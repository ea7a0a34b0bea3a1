// What programs tell the run time by annotations: acquire and release, mutexes of their own, memory to forget or to
// ignore, and the old dynamic annotations.
#include <sys/types.h>

#include "live/api.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

void ignore_all_begin() {
  ignore_accesses_begin();
  ignore_sync_begin();
}
void ignore_all_end() {
  ignore_accesses_end();
  ignore_sync_end();
}

}  // namespace

EXPORT void __tsan_acquire(void* object) {
  Entry entry(DEADHEAT_CALLER);
  told_acquire(entry, object);
}
EXPORT void __tsan_release(void* object) {
  Entry entry(DEADHEAT_CALLER);
  told_release(entry, object);
}
EXPORT void __tsan_ignore_thread_begin() { ignore_accesses_begin(); }
EXPORT void __tsan_ignore_thread_end() { ignore_accesses_end(); }

// ---- mutexes of the program's own ----
//
// Between `pre` and `post` the program works inside its own mutex: those accesses are not checked.

namespace {
constexpr unsigned kLinkerInit = 1u << 0;
constexpr unsigned kWriteReentrant = 1u << 1;
constexpr unsigned kReadLock = 1u << 3;
constexpr unsigned kTryLock = 1u << 4;
constexpr unsigned kTryLockFailed = 1u << 5;
constexpr unsigned kRecursiveUnlock = 1u << 7;
constexpr unsigned kNotStatic = 1u << 8;

LockMode mode_of(unsigned flags) { return (flags & kReadLock) != 0 ? LockMode::kRead : LockMode::kWrite; }
}  // namespace

EXPORT void __tsan_mutex_create(void* mutex, unsigned flags) {
  Entry entry(DEADHEAT_CALLER);
  mutex_create(entry, mutex, {(flags & kWriteReentrant) != 0, (flags & kLinkerInit) != 0, (flags & kNotStatic) != 0});
}
EXPORT void __tsan_mutex_destroy(void* mutex, unsigned flags) {
  Entry entry(DEADHEAT_CALLER);
  if ((flags & kLinkerInit) != 0 || mutex_is_static(mutex, (flags & kNotStatic) != 0)) return;
  mutex_destroying(entry, mutex);
  mutex_destroy(entry, mutex);
}
EXPORT void __tsan_mutex_pre_lock(void* mutex, unsigned flags) {
  if ((flags & kTryLock) == 0) {
    Entry entry(DEADHEAT_CALLER);
    mutex_locking(entry, mutex, mode_of(flags));
  }
  ignore_all_begin();
}
EXPORT void __tsan_mutex_post_lock(void* mutex, unsigned flags, int levels) {
  ignore_all_end();
  Entry entry(DEADHEAT_CALLER);
  if ((flags & kTryLock) != 0 && (flags & kTryLockFailed) != 0) return;
  if (levels > 1)
    mutex_lock_again(entry, mutex, static_cast<uint32_t>(levels));
  else
    mutex_lock(entry, mutex, mode_of(flags), {.annotated = true});
}
EXPORT int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  int levels = 1;
  {
    Entry entry(DEADHEAT_CALLER);
    if ((flags & kRecursiveUnlock) != 0)
      levels = static_cast<int>(mutex_unlock_all(entry, mutex));
    else if ((flags & kReadLock) != 0)
      mutex_unlock_as(entry, mutex, LockMode::kRead);
    else
      mutex_unlock(entry, mutex);
  }
  ignore_all_begin();
  return levels;
}
EXPORT void __tsan_mutex_post_unlock(void*, unsigned) { ignore_all_end(); }
EXPORT void __tsan_mutex_pre_signal(void*, unsigned) { ignore_all_begin(); }
EXPORT void __tsan_mutex_post_signal(void*, unsigned) { ignore_all_end(); }
EXPORT void __tsan_mutex_pre_divert(void*, unsigned) { ignore_all_end(); }
EXPORT void __tsan_mutex_post_divert(void*, unsigned) { ignore_all_begin(); }
EXPORT void __tsan_check_no_mutexes_held() {
  Entry entry(DEADHEAT_CALLER);
  expect_no_locks(entry);
}

// ---- objects that a library guards for its users ----

EXPORT void* __tsan_external_register_tag(const char* type) { return object_type(type); }
EXPORT void __tsan_external_register_header(void* tag, const char* header) { object_type_header(tag, header); }
EXPORT void __tsan_external_assign_tag(void* object, void* tag) { object_is(object, tag); }
EXPORT void __tsan_external_read(void* object, void* caller, void* tag) {
  Entry entry(caller);
  object_is(object, tag);
  read_range(entry, object, 1);
}
EXPORT void __tsan_external_write(void* object, void* caller, void* tag) {
  Entry entry(caller);
  object_is(object, tag);
  write_range(entry, object, 1);
}

// ---- the dynamic annotations of old ----

#define ANNOTATE(name, ...) \
  EXPORT void name([[maybe_unused]] const char* file, [[maybe_unused]] int line __VA_OPT__(, ) __VA_ARGS__)
// One that says a single thing of its caller. The parameters stand in parentheses.
#define ANNOTATE_CALLER(name, parameters, ...)     \
  ANNOTATE(name, DEADHEAT_PARAMETERS parameters) { \
    Entry entry(DEADHEAT_CALLER);                  \
    __VA_ARGS__;                                   \
  }
#define DEADHEAT_PARAMETERS(...) __VA_ARGS__

ANNOTATE_CALLER(AnnotateHappensBefore, (void* object), told_release(entry, object))
ANNOTATE_CALLER(AnnotateHappensAfter, (void* object), told_acquire(entry, object))
ANNOTATE_CALLER(WTFAnnotateHappensBefore, (void* object), told_release(entry, object))
ANNOTATE_CALLER(WTFAnnotateHappensAfter, (void* object), told_acquire(entry, object))
ANNOTATE_CALLER(AnnotateRWLockCreate, (void* lock), mutex_create(entry, lock, {false, false}))
ANNOTATE_CALLER(AnnotateRWLockCreateStatic, (void* lock), mutex_create(entry, lock, {false, true}))
ANNOTATE(AnnotateRWLockDestroy, void* lock) {
  Entry entry(DEADHEAT_CALLER);
  if (mutex_is_static(lock, false)) return;
  mutex_destroying(entry, lock);
  mutex_destroy(entry, lock);
}
ANNOTATE_CALLER(AnnotateRWLockAcquired, (void* lock, long is_writer),
                mutex_lock(entry, lock, is_writer != 0 ? LockMode::kWrite : LockMode::kRead, {.annotated = true}))
ANNOTATE_CALLER(AnnotateRWLockReleased, (void* lock, long is_writer),
                mutex_unlock_as(entry, lock, is_writer != 0 ? LockMode::kWrite : LockMode::kRead))
ANNOTATE(AnnotateNewMemory, void* begin, size_t bytes) { fresh_range(begin, bytes); }
ANNOTATE(AnnotateIgnoreReadsBegin) {
  Entry entry(DEADHEAT_CALLER);
  ignore_accesses_begin(&entry);
}
ANNOTATE(AnnotateIgnoreReadsEnd) { ignore_accesses_end(); }
ANNOTATE(AnnotateIgnoreWritesBegin) {
  Entry entry(DEADHEAT_CALLER);
  ignore_accesses_begin(&entry);
}
ANNOTATE(AnnotateIgnoreWritesEnd) { ignore_accesses_end(); }
ANNOTATE(AnnotateIgnoreSyncBegin) { ignore_sync_begin(); }
ANNOTATE(AnnotateIgnoreSyncEnd) { ignore_sync_end(); }
ANNOTATE(AnnotateBenignRace, const volatile void* begin, const char*) { benign_race(begin, 1); }
ANNOTATE(AnnotateBenignRaceSized, const volatile void* begin, size_t bytes, const char*) { benign_race(begin, bytes); }
ANNOTATE(WTFAnnotateBenignRaceSized, const volatile void* begin, size_t bytes, const char*) {
  benign_race(begin, bytes);
}
ANNOTATE(AnnotateThreadName, const char* name) {
  Entry entry(DEADHEAT_CALLER);
  if (entry.watched()) thread_named(current_thread_id(), name);
}
EXPORT int RunningOnValgrind() { return 0; }
EXPORT double ValgrindSlowdown() { return 10.0; }
EXPORT const char* ThreadSanitizerQuery(const char* question) {
  constexpr char kKnown[] = "pure_happens_before";
  for (size_t i = 0;; ++i) {
    if (question[i] != kKnown[i]) return "0";
    if (question[i] == 0) return "1";
  }
}
EXPORT void __tsan_flush_memory() {}  // state is collected when it is no longer needed

// ---- for tests: a barrier that orders nothing ----
//
// The word has the number of threads in its low half, above it how many have come in this round and the one before.

EXPORT void __tsan_testonly_barrier_init(uint32_t* barrier, uint32_t count) {
  __atomic_store_n(barrier, count & 0x7fff, __ATOMIC_RELAXED);
}
EXPORT void __tsan_testonly_barrier_wait(uint32_t* barrier) {
  uint32_t before = __atomic_load_n(barrier, __ATOMIC_RELAXED);
  const uint32_t count = before & 0xffff;
  if (count == 0) return;
  uint32_t after;
  do after = ((before >> 16) + 1) % (2 * count) << 16 | count;
  while (!__atomic_compare_exchange_n(barrier, &before, after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  const uint32_t round = (before >> 16) / count;
  while ((__atomic_load_n(barrier, __ATOMIC_RELAXED) >> 16) / count == round) sys::yield();
}
EXPORT uintptr_t __tsan_testonly_shadow_stack_current_size() { return shadow_stack_depth(); }

// ---- recordings ----

EXPORT void DeadheatRecordingStart() { recording_stopped(false); }
EXPORT void DeadheatRecordingStop() { recording_stopped(true); }
