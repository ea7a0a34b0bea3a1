#include "runtime/descriptors.h"

#include "runtime/degraded.h"
#include "runtime/heap.h"
#include "runtime/lifecycle.h"
#include "runtime/shadow.h"

namespace deadheat::live {
namespace {

constexpr int kMost = 1 << 16;
constexpr unsigned kMostWatchers = 4;

struct FdObject {
  uint64_t id;
  uint32_t descriptors;
  uint32_t watcher_count;
  uint64_t watchers[kMostWatchers];  // ids of the epoll objects
};

struct Descriptor {
  FdObject* object;
  NodeId opened_at;
  ThreadUid opened_by;
  bool closed;
};

// Guarded by the lock, which is held for moments only.
constinit SpinLock table_lock;
Descriptor table[kMost];
uint64_t next_id = 16;

enum SharedId : uint64_t { kSockets = 1, kEverything = 2, kManyWatchers = 3 };

// What the accesses to a descriptor touch.
alignas(8) char descriptor_bytes[kMost][8];

// No program has an address there.
const void* clock_of(uint64_t id) { return reinterpret_cast<const void*>(uintptr_t{1} << 60 | id << 6); }

bool known(const Entry& entry, int fd) {
  if (fd >= kMost) note_degraded(Degradation::kDescriptors);
  return entry.thread() != nullptr && fd >= 0 && fd < kMost;
}

FdObject* new_object(uint64_t id) {
  if (options.io_sync == 2) id = kEverything;
  FdObject* object = static_cast<FdObject*>(heap_allocate(sizeof(FdObject)));
  *object = {id != 0 ? id : next_id++, 0, 0, {}};
  return object;
}

// The object's clock goes with the last descriptor; its id, or 0 if others still have it.
uint64_t drop(FdObject* object) {
  if (object == nullptr || --object->descriptors != 0) return 0;
  const uint64_t id = object->id;
  heap_free(object, sizeof(FdObject));
  return id;
}

FdObject& object_of(int fd) {
  Descriptor& d = table[fd];
  if (d.object == nullptr) {
    d.object = new_object(0);
    ++d.object->descriptors;
  }
  return *d.object;
}

void put(const Entry& entry, int fd, FdObject* object) {
  Descriptor& d = table[fd];
  const uint64_t gone = drop(d.object);
  ++object->descriptors;
  d = {object, entry.thread()->stack_cache.child(context_node(*entry.thread()), frame_key(entry.pc())),
       entry.thread()->uid, false};
  if (gone >= 16) forget(clock_of(gone));
}

void opened(const Entry& entry, int fd, uint64_t shared_id) {
  if (!known(entry, fd)) return;
  fresh_range(descriptor_bytes[fd], 8);
  const BusyGuard held(table_lock);
  put(entry, fd, new_object(shared_id));
}

void touch(const Entry& entry, int fd, bool write) {
  if (write)
    write_range(entry, descriptor_bytes[fd], 8);
  else
    read_range(entry, descriptor_bytes[fd], 8);
}

}  // namespace

void fd_opened(const Entry& entry, int fd) { opened(entry, fd, 0); }
void fd_opened_socket(const Entry& entry, int fd) { opened(entry, fd, kSockets); }

void fd_opened_pair(const Entry& entry, int a, int b) {
  if (!known(entry, a) || !known(entry, b)) return;
  fresh_range(descriptor_bytes[a], 8);
  fresh_range(descriptor_bytes[b], 8);
  const BusyGuard held(table_lock);
  FdObject* object = new_object(0);
  put(entry, a, object);
  put(entry, b, object);
}

void fd_duplicated(const Entry& entry, int from, int to) {
  if (!known(entry, from) || !known(entry, to)) return;
  touch(entry, from, false);
  if (from == to) return;
  bool replaced;
  {
    const BusyGuard held(table_lock);
    replaced = table[to].object != nullptr && !table[to].closed;
  }
  // Putting another file in place of one that others use is done on purpose: it does not race with uses, but with a
  // close.
  if (replaced)
    touch(entry, to, false);
  else
    fresh_range(descriptor_bytes[to], 8);
  const BusyGuard held(table_lock);
  put(entry, to, &object_of(from));
}

void fd_closed(const Entry& entry, int fd) {
  if (!known(entry, fd)) return;
  touch(entry, fd, true);
  uint64_t gone;
  {
    const BusyGuard held(table_lock);
    Descriptor& d = table[fd];
    gone = drop(d.object);
    d.object = nullptr;
    d.closed = true;
  }
  if (gone >= 16) forget(clock_of(gone));
}

void fd_used(const Entry& entry, int fd) {
  if (known(entry, fd)) touch(entry, fd, false);
}

void fd_acquire(const Entry& entry, int fd) {
  if (!known(entry, fd)) return;
  touch(entry, fd, false);
  if (options.io_sync == 0) return;
  uint64_t id;
  {
    const BusyGuard held(table_lock);
    id = object_of(fd).id;
  }
  acquire(entry, clock_of(id));
}

void fd_release(const Entry& entry, int fd) {
  if (!known(entry, fd)) return;
  touch(entry, fd, false);
  if (options.io_sync == 0) return;
  FdObject copy;
  {
    const BusyGuard held(table_lock);
    copy = object_of(fd);
  }
  release(entry, clock_of(copy.id));
  for (unsigned i = 0; i < copy.watcher_count; ++i) release(entry, clock_of(copy.watchers[i]));
}

void fd_watched(const Entry& entry, int epoll, int fd) {
  if (!known(entry, epoll) || !known(entry, fd) || options.io_sync == 0) return;
  const BusyGuard held(table_lock);
  FdObject& object = object_of(fd);
  const uint64_t watcher = object_of(epoll).id;
  join_clock(clock_of(object.id), clock_of(watcher));  // it may be ready already
  for (unsigned i = 0; i < object.watcher_count; ++i)
    if (object.watchers[i] == watcher) return;
  if (object.watcher_count < kMostWatchers) {
    object.watchers[object.watcher_count++] = watcher;
    return;
  }
  // More watchers than places: from here on there is a clock that every wait takes.
  object.watchers[kMostWatchers - 1] = kManyWatchers;
}

void fd_acquire_watched(const Entry& entry, int epoll) {
  fd_acquire(entry, epoll);
  if (options.io_sync != 0) acquire(entry, clock_of(kManyWatchers));
}

bool descriptor_of(uintptr_t address, DescriptorInfo& info) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(descriptor_bytes);
  if (address < begin || address >= begin + sizeof descriptor_bytes) return false;
  const int fd = static_cast<int>((address - begin) / 8);
  const BusyGuard held(table_lock);
  info = {fd, table[fd].opened_by, table[fd].opened_at, table[fd].closed};
  return true;
}

void descriptors_lock_for_fork() { table_lock.lock(); }
void descriptors_unlock_after_fork() { table_lock.unlock(); }

}  // namespace deadheat::live
