// What a Java virtual machine says about its heap: objects, their moves, monitors and volatile fields.
//
// An object that is moved takes its monitors along; the history of its bytes is forgotten, so a race between an access
// before the move and one after it is not seen.
#include "live/api.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Address = uintptr_t;

const void* pointer(Address address) { return reinterpret_cast<const void*>(address); }

}  // namespace

EXPORT void __tsan_java_init(Address heap, size_t bytes) {
  watch_this_thread();
  fresh_range(pointer(heap), bytes);
}
EXPORT int __tsan_java_fini() { return status_at_end(); }
EXPORT void __tsan_java_alloc(Address begin, size_t bytes) {
  fresh_range(pointer(begin), bytes);
  table_put(Table::kJavaObjects, begin, bytes);
}
EXPORT void __tsan_java_free(Address begin, size_t bytes) {
  fresh_range(pointer(begin), bytes);
  uint64_t gone;
  for (Address a = begin; a < begin + bytes; a += 8) table_take(Table::kJavaObjects, a, gone);
}
// The first object at or after *from; its size, or 0 if there is none before `to`.
EXPORT size_t __tsan_java_find(Address* from, Address to) {
  uint64_t bytes = 0;
  for (Address a = (*from + 7) & ~Address{7}; a < to; a += 8) {
    if (!table_find(Table::kJavaObjects, a, bytes)) continue;
    *from = a;
    return bytes;
  }
  return 0;
}
EXPORT void __tsan_java_move(Address from, Address to, size_t bytes) {
  // Objects are found by their begins; of those that overlap the last must be moved first.
  const bool upwards = to > from;
  for (size_t i = 0; i < bytes; i += 8) {
    const size_t offset = upwards ? (bytes - 8) - i : i;
    uint64_t object_bytes = 0;
    if (table_take(Table::kJavaObjects, from + offset, object_bytes))
      table_put(Table::kJavaObjects, to + offset, object_bytes);
  }
  move_objects(pointer(from), pointer(to), bytes);
}

// A finalizer comes after everything that any thread did up to now.
EXPORT void __tsan_java_finalize() {
  Entry entry(DEADHEAT_CALLER);
  acquire_all(entry);
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
