#include "live/order/sync.h"

#include <new>

#include "live/ground/heap.h"
#include "live/ground/message.h"
#include "live/ground/patience.h"
#include "live/ground/spin_lock.h"
#include "live/ground/touched.h"
#include "live/order/lock_order.h"

namespace deadheat::live {

constinit SyncChain sync_chains[kSyncChains];

namespace {

// How many objects there are in 64 KiB regions that share a number.
constexpr uint32_t kRegions = 1u << 14;
std::atomic<uint32_t> region_objects[kRegions];
std::atomic<uint32_t>& region_of(uintptr_t address) { return region_objects[spread<14>(address >> 16)]; }

// Removed objects. Their memory stays that of sync objects: a load that walks a chain without its lock may still look.
constinit SpinLock spares_lock(Lock::kSyncSpares);
SyncObject* spares;

// Where locks that are gone were made: a report may name one that an earlier access held. The last at its address in
// each place; read and written without a lock, so a report may miss one.
struct GoneLock {
  std::atomic<uintptr_t> address;
  std::atomic<NodeId> created_at;
};
constexpr uint32_t kGoneLocks = 1u << 12;
GoneLock gone_locks[kGoneLocks];
GoneLock& gone_lock_of(uintptr_t address) { return gone_locks[spread<12>(address >> 3)]; }

void destroy(SyncObject* o) {
  if (o->is_lock) {
    lock_order_forget(o->address);
    GoneLock& gone = gone_lock_of(o->address);
    gone.created_at.store(o->created_at, std::memory_order_relaxed);
    gone.address.store(o->address, std::memory_order_relaxed);
  }
  o->S.clear();
  for (LiveClock* clock : {o->readers, o->told}) {
    if (clock == nullptr) continue;
    clock->clear();
    heap_free(clock, sizeof(LiveClock));
  }
  if (o->generation != nullptr) drop_generation(o->generation);
  region_of(o->address).fetch_sub(1, std::memory_order_relaxed);
  o->address = 0;
  SpinGuard guard(spares_lock);
  o->next.store(spares, std::memory_order_relaxed);
  spares = o;
}

SyncObject* new_object() {
  {
    SpinGuard guard(spares_lock);
    if (SyncObject* o = spares) {
      spares = o->next.load(std::memory_order_relaxed);
      return new (o) SyncObject;
    }
  }
  return new (heap_allocate(sizeof(SyncObject))) SyncObject;
}

}  // namespace

void drop_generation(BarrierGeneration* generation) {
  if (--generation->references != 0) return;
  generation->clock.clear();
  heap_free(generation, sizeof(BarrierGeneration));
}

__thread Performing* Performing::innermost;

uint32_t SyncLock::lock_slow() {
  for (Patience patience;; patience.wait()) {
    uint32_t seen = chain_.sequence.load(std::memory_order_relaxed);
    if ((seen & 1) == 0 && chain_.sequence.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire))
      return seen;
  }
}

SyncObject& SyncLock::make_slow() {
  SyncObject* o = new_object();
  o->address = address_;
  region_of(address_).fetch_add(1, std::memory_order_relaxed);
  note_touched(address_);
  o->next.store(chain_.head.load(std::memory_order_relaxed), std::memory_order_relaxed);
  chain_.head.store(o, std::memory_order_release);
  return *o;
}

void SyncLock::remove_after(std::atomic<SyncObject*>& link) {
  SyncObject* o = link.load(std::memory_order_relaxed);
  link.store(o->next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  destroy(o);
}

void SyncLock::remove() {
  for (std::atomic<SyncObject*>* link = &chain_.head; link->load(std::memory_order_relaxed) != nullptr;
       link = &link->load(std::memory_order_relaxed)->next) {
    if (link->load(std::memory_order_relaxed)->address != address_) continue;
    remove_after(*link);
    return;
  }
}

namespace {

// Calls `do_line(line)` for the lines of a range that may have objects in them.
template <class DoLine>
void each_used_line(uintptr_t begin, uintptr_t end, DoLine do_line) {
  for (uintptr_t region = begin & ~uintptr_t{0xffff}; region < end; region += 0x10000) {
    if (region_of(region).load(std::memory_order_relaxed) == 0) continue;
    const uintptr_t from = region < begin ? begin : region;
    const uintptr_t to = region + 0x10000 < end ? region + 0x10000 : end;
    for (uintptr_t line = from & ~uintptr_t{63}; line < to; line += 64)
      if (sync_chain_of(line).head.load(std::memory_order_relaxed) != nullptr) do_line(line);
  }
}

}  // namespace

void sync_forget_range(uintptr_t begin, size_t bytes) {
  each_used_line(begin, begin + bytes, [&](uintptr_t line) {
    SyncLock lock(line);
    std::atomic<SyncObject*>* link = &lock.chain_.head;
    while (SyncObject* o = link->load(std::memory_order_relaxed)) {
      if (o->address >= begin && o->address < begin + bytes)
        lock.remove_after(*link);
      else
        link = &o->next;
    }
  });
}

void sync_move_range(uintptr_t from, uintptr_t to, size_t bytes) {
  // Out of the old place first, so that overlapping ranges are no problem.
  SyncObject* moved = nullptr;
  each_used_line(from, from + bytes, [&](uintptr_t line) {
    SyncLock lock(line);
    std::atomic<SyncObject*>* link = &lock.chain_.head;
    while (SyncObject* o = link->load(std::memory_order_relaxed)) {
      if (o->address < from || o->address >= from + bytes) {
        link = &o->next;
        continue;
      }
      link->store(o->next.load(std::memory_order_relaxed), std::memory_order_relaxed);
      o->next.store(moved, std::memory_order_relaxed);
      moved = o;
    }
  });
  sync_forget_range(to, bytes);
  while (SyncObject* o = moved) {
    moved = o->next.load(std::memory_order_relaxed);
    region_of(o->address).fetch_sub(1, std::memory_order_relaxed);
    o->address += to - from;
    region_of(o->address).fetch_add(1, std::memory_order_relaxed);
    note_touched(o->address);
    SyncLock lock(o->address);
    o->next.store(lock.chain_.head.load(std::memory_order_relaxed), std::memory_order_relaxed);
    lock.chain_.head.store(o, std::memory_order_release);
  }
}

NodeId sync_created_at(uintptr_t address) {
  SyncLock lock(address);
  const SyncObject* o = lock.find();
  if (o != nullptr) return o->created_at;
  const GoneLock& gone = gone_lock_of(address);
  return gone.address.load(std::memory_order_relaxed) == address ? gone.created_at.load(std::memory_order_relaxed)
                                                                 : kNoNode;
}

bool sync_nothing_to_learn(const SyncChain& chain, uintptr_t address, const LiveClock& C) {
  const SyncObject* o = chain.head.load(std::memory_order_acquire);
  for (int steps = 0; o != nullptr; ++steps, o = o->next.load(std::memory_order_acquire)) {
    if (o->address == address) return o->S.empty() || (o->S.pure() && C.knows(o->S.own()));
    if (steps == 64) return false;
  }
  return true;
}

#ifndef NDEBUG
void check_nothing_to_learn(const LiveClock& C, uintptr_t address, uint32_t sequence) {
  // Threads that wait in a loop do not wait for each other's checks: not twice the same one, and not for the lock.
  static __thread uint64_t checked __attribute__((tls_model("initial-exec")));
  if (checked == mix(address, sequence)) return;
  checked = mix(address, sequence);
  const Inside inside;
  lock_taking(Lock::kSyncChains);
  SyncChain& chain = sync_chain_of(address);
  if (uint32_t even = sequence; chain.sequence.compare_exchange_strong(even, even + 1, std::memory_order_acquire)) {
    for (const SyncObject* o = chain.head.load(std::memory_order_relaxed); o != nullptr; o = o->next)
      if (o->address == address && !C.covers(o->S)) die("a load from 0x%lx that has something to learn", address);
    chain.sequence.store(sequence, std::memory_order_release);  // nothing has changed
  }
  lock_left(Lock::kSyncChains);
}
#endif

template <>
void lock_all<Lock::kSyncChains>() {
  lock_taking(Lock::kSyncChains);
  for (SyncChain& chain : sync_chains)
    for (Patience patience;; patience.wait()) {
      uint32_t seen = chain.sequence.load(std::memory_order_relaxed);
      if ((seen & 1) == 0 && chain.sequence.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) break;
    }
}
template <>
void unlock_all<Lock::kSyncChains>() {
  for (SyncChain& chain : sync_chains) chain.sequence.fetch_add(1, std::memory_order_release);
  lock_left(Lock::kSyncChains);
}
DEADHEAT_TAKEN_AT_FORK(kSyncSpares, spares_lock)

}  // namespace deadheat::live
