// What a Java virtual machine says about its heap: objects, their moves, monitors and volatile fields.
//
// An object that is moved takes its monitors along; the history of its bytes is forgotten, so a race between an access
// before the move and one after it is not seen.
#include "live/api.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/order/sync.h"
#include "live/order/thread.h"
#include "live/report/report.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Address = uintptr_t;

struct Object {
  Object* next;
  Address begin;
  size_t bytes;
};
constexpr unsigned kBuckets = 4096;
Object* objects[kBuckets];
constinit SpinLock objects_lock(Lock::kJavaObjects);
constinit SpinLock finalizer_lock(Lock::kFinalizer);

Object** find(Address begin) {
  Object** at = &objects[(begin >> 3) * 0x9e3779b97f4a7c15u >> 52];
  while (*at != nullptr && (*at)->begin != begin) at = &(*at)->next;
  return at;
}

class Heap : BusyGuard {
 public:
  Heap() : BusyGuard(objects_lock) {}
};

void add(Address begin, size_t bytes) {
  const Heap held;
  Object** at = find(begin);
  if (*at == nullptr) {
    *at = static_cast<Object*>(heap_allocate(sizeof(Object)));
    **at = {nullptr, begin, bytes};
  }
  (*at)->bytes = bytes;
}

void remove(Address begin, Address end) {
  const Heap held;
  for (Address a = begin; a < end; a += 8) {
    Object** at = find(a);
    Object* gone = *at;
    if (gone == nullptr) continue;
    *at = gone->next;
    heap_free(gone, sizeof(Object));
  }
}

const void* pointer(Address address) { return reinterpret_cast<const void*>(address); }

}  // namespace

namespace deadheat::live {
DEADHEAT_TAKEN_AT_FORK(kJavaObjects, objects_lock)
DEADHEAT_TAKEN_AT_FORK(kFinalizer, finalizer_lock)
}  // namespace deadheat::live

EXPORT void __tsan_java_init(Address heap, size_t bytes) {
  current_thread();
  fresh_range(pointer(heap), bytes);
}
EXPORT int __tsan_java_fini() { return reports_printed() != 0 ? options.exitcode : 0; }
EXPORT void __tsan_java_alloc(Address begin, size_t bytes) {
  fresh_range(pointer(begin), bytes);
  add(begin, bytes);
}
EXPORT void __tsan_java_free(Address begin, size_t bytes) {
  fresh_range(pointer(begin), bytes);
  remove(begin, begin + bytes);
}
// The first object at or after *from; its size, or 0 if there is none before `to`.
EXPORT size_t __tsan_java_find(Address* from, Address to) {
  const Heap held;
  for (Address a = (*from + 7) & ~Address{7}; a < to; a += 8) {
    if (const Object* found = *find(a)) {
      *from = a;
      return found->bytes;
    }
  }
  return 0;
}
EXPORT void __tsan_java_move(Address from, Address to, size_t bytes) {
  // Objects are found by their begins; of those that overlap the last must be moved first.
  const bool upwards = to > from;
  for (size_t i = 0; i < bytes; i += 8) {
    const size_t offset = upwards ? (bytes - 8) - i : i;
    size_t object_bytes = 0;
    {
      const Heap held;
      Object** at = find(from + offset);
      if (Object* moved = *at) {
        object_bytes = moved->bytes;
        *at = moved->next;
        heap_free(moved, sizeof(Object));
      }
    }
    if (object_bytes != 0) add(to + offset, object_bytes);
  }
  const Inside inside;
  sync_move_range(from, to, bytes);
  shadow_forget(from, bytes);
  shadow_forget(to, bytes);
}

// A finalizer comes after everything that any thread did up to now.
EXPORT void __tsan_java_finalize() {
  Entry entry(DEADHEAT_CALLER);
  Thread* const t = entry.thread();
  if (t == nullptr) return;
  constexpr size_t kMost = 1024;
  static deadheat::Epoch come[kMost];
  const BusyGuard held(finalizer_lock);
  const LiveClock none;
  for (size_t i = 0, count = live_epochs(come, kMost); i < count; ++i)
    if (t->C.join(none, come[i])) t->learned = true;
}

#define AT_OBJECT(name, action)       \
  EXPORT void name(Address address) { \
    Entry entry(DEADHEAT_CALLER);     \
    const void* o = pointer(address); \
    action;                           \
  }
AT_OBJECT(__tsan_java_mutex_lock, mutex_lock(entry, o))
AT_OBJECT(__tsan_java_mutex_unlock, mutex_unlock(entry, o))
AT_OBJECT(__tsan_java_mutex_read_lock, mutex_lock(entry, o, LockMode::kRead))
AT_OBJECT(__tsan_java_mutex_read_unlock, mutex_unlock_as(entry, o, LockMode::kRead))
AT_OBJECT(__tsan_java_acquire, told_acquire(entry, o))
AT_OBJECT(__tsan_java_release, told_release(entry, o))
AT_OBJECT(__tsan_java_release_store, told_release(entry, o, true))
EXPORT void __tsan_java_mutex_lock_rec(Address address, int levels) {
  Entry entry(DEADHEAT_CALLER);
  mutex_lock_again(entry, pointer(address), static_cast<uint32_t>(levels));
}
EXPORT int __tsan_java_mutex_unlock_rec(Address address) {
  Entry entry(DEADHEAT_CALLER);
  return static_cast<int>(mutex_unlock_all(entry, pointer(address)));
}
