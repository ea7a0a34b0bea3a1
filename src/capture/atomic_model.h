// Atomic operations by the rules of the C++20 memory model (detect/order_rules.h).
//
// The real operation, its record in the shadow and the change of S are one step: the lock of the object's chain is held
// over them. While the thread is alone nothing of this can matter to anybody, and only the real operation is done; but
// freed memory is freed.
#pragma once

#include <cstdint>

#include "live/ground/inside.h"
#include "live/order/party.h"
#include "live/order/sync.h"
#include "live/report/report.h"
#include "live/shadow/word_cells.h"

namespace deadheat::live {

// GCC sets hint bits (lock elision) above the order.
MemoryOrder order_of(int written);

// The thread, if the operation has to be modelled at all.
inline Thread* modelled() {
  if (tls.busy != 0 || tls.ignoring_sync != 0) return nullptr;
  Thread* t = current_thread();
  return t == nullptr || t->current == 0 ? nullptr : t;
}

// The same for an operation on an object. It is an access, whoever there is: that of freed memory is told.
inline Thread* modelled(const volatile void* object, size_t bytes, AccessKind kind, uintptr_t pc) {
  if (Thread* t = modelled()) return t;
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  if (tls.current_twice == 0 && is_freed_at(address)) access_slow(address, bytes, kind, pc);
  return nullptr;
}

// One operation: `perform` does the real one and says what it was.
enum class Did { kLoad, kStore, kExchange };
template <class Perform>
inline void model(Thread& t, const volatile void* object, size_t bytes, MemoryOrder order, MemoryOrder failure,
                  uintptr_t pc, Perform perform) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  RaceFound race;
  AccessKind kind = AccessKind::kAtomicRead;
  Inside::enter();
  Party party(t);
  {
    SyncLock lock(address);
    const Did did = perform();
    if (did != Did::kLoad) kind = AccessKind::kAtomicWrite;
    // What the operation acquires is ordered before it; what it releases, it does not race with any more.
    if (did != Did::kStore) order::atomic_read(party, lock, did == Did::kLoad ? failure : order);
    access_atomic(t, address, bytes, kind, pc, race);
    if (did == Did::kStore) order::atomic_store(party, lock, order);
    if (did == Did::kExchange) order::atomic_modify(party, lock, order);
  }
  party.done();
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, bytes, kind, pc, race);
}

// The same load once more: nobody has touched the chain, and it is recorded already. What loops that spin do.
template <class Load>
inline bool load_again(const Thread& t, const volatile void* object, size_t bytes, Load load_value) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  const SyncChain& chain = sync_chain_of(address);
  const uint32_t sequence = chain.sequence.load(std::memory_order_acquire);
  if (t.nothing_at.address != address || t.nothing_at.sequence != sequence) return false;
  if (!is_atomic_read_recorded(t, address, bytes)) return false;
  load_value();
  std::atomic_thread_fence(std::memory_order_acquire);
  return chain.sequence.load(std::memory_order_relaxed) == sequence;
}

// A load that finds nothing to learn takes no lock: spin loops stay out of the way.
template <class Load>
inline bool load_without_lock(Thread& t, const volatile void* object, size_t bytes, uintptr_t pc, Load load_value) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  const SyncChain& chain = sync_chain_of(address);
  const uint32_t sequence = chain.sequence.load(std::memory_order_acquire);
  if ((sequence & 1) != 0) return false;
  prefetch_atomic_read(t, address);
  RaceFound race;
  Inside::enter();
  const bool nothing = sync_nothing_to_learn(chain, address, t.C);
  if (nothing) load_value();
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool done = nothing && chain.sequence.load(std::memory_order_relaxed) == sequence;
  if (done) {
    access_atomic(t, address, bytes, AccessKind::kAtomicRead, pc, race);
    if (shadow_covers(address)) t.nothing_at = {address, sequence};
  }
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, bytes, AccessKind::kAtomicRead, pc, race);
  return done;
}

void fence(Thread& t, MemoryOrder order);

}  // namespace deadheat::live
