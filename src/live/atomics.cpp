// Atomic operations by the rules of the C++20 memory model (detect/order_rules.h).
//
// The real operation, its record in the shadow and the change of S are one step: the lock of the object's chain is held
// over them. While the thread is alone nothing of this can matter to anybody, and only the real operation is done; but
// freed memory is freed. A load that finds nothing to learn takes no lock.
// Tested by test/programs/atomic_*.c, test/live_oracle
#include <new>

#include "live/entry.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/order/party.h"
#include "live/order/sync.h"
#include "live/report/report.h"
#include "live/shadow/word_cells.h"

namespace deadheat::live {
namespace {

// Objects that no instruction can change: their locks, by address.
struct alignas(64) ObjectLock {
  SpinLock lock{Lock::kLargeAtomics};
};
constinit ObjectLock object_locks[64];
SpinLock& lock_of(const volatile void* object) {
  return object_locks[(key(object) >> 4) * 0x9e3779b97f4a7c15u >> 58].lock;
}

// The thread, if the operation has to be modelled at all.
Thread* modelled() {
  if (tls.busy != 0 || tls.ignoring_sync != 0) return nullptr;
  Thread* t = current_thread();
  return t == nullptr || t->current == 0 ? nullptr : t;
}

// The same for an operation on an object. It is an access, whoever there is: that of freed memory is told.
Thread* modelled(const volatile void* object, size_t bytes, AccessKind kind, uintptr_t pc) {
  if (Thread* t = modelled()) return t;
  if (tls.current_twice == 0 && is_freed_at(key(object))) access_slow(key(object), bytes, kind, pc);
  return nullptr;
}

MemoryOrder in_force(MemoryOrder order) { return options.force_seq_cst_atomics ? MemoryOrder::kSeqCst : order; }

}  // namespace

DEADHEAT_ARRAY_TAKEN_AT_FORK(kLargeAtomics, object_locks)

void AtomicStep::begin(AccessKind kind) {
  static_assert(sizeof lock_ == sizeof(SyncLock) && alignof(SyncLock) <= alignof(void*));
  const bool large = size_ == AtomicSize::kLarge;
  thread_ = large ? modelled() : modelled(object_, bytes_, kind, pc_);
  if (thread_ != nullptr) {
    Inside::enter();
    new (lock_) SyncLock(key(object_));
  }
  if (!large) return;
  Inside::enter();
  lock_of(object_).lock();
}

void AtomicStep::end_slow(AtomicDid did, MemoryOrder order, MemoryOrder failure) {
  if (size_ == AtomicSize::kLarge) {
    lock_of(object_).unlock();
    Inside::leave();
    if (thread_ == nullptr) return;
  }
  Thread& t = *thread_;
  const AccessKind kind = did == AtomicDid::kLoad ? AccessKind::kAtomicRead : AccessKind::kAtomicWrite;
  RaceFound race;
  Party party(t);
  {
    SyncLock& lock = *std::launder(reinterpret_cast<SyncLock*>(lock_));
    // What the operation acquires is ordered before it; what it releases, it does not race with any more.
    if (did != AtomicDid::kStore) order::atomic_read(party, lock, in_force(did == AtomicDid::kLoad ? failure : order));
    access_atomic(t, key(object_), bytes_, kind, pc_, race);
    if (did == AtomicDid::kStore) order::atomic_store(party, lock, in_force(order));
    if (did == AtomicDid::kExchange) order::atomic_modify(party, lock, in_force(order));
    lock.~SyncLock();
  }
  party.done();
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, key(object_), bytes_, kind, pc_, race);
}

void AtomicLoad::begin() {
  thread_ = modelled(object_, bytes_, AccessKind::kAtomicRead, pc_);
  how_ = How::kAlone;
  if (thread_ == nullptr) return;
  const uintptr_t address = key(object_);
  const SyncChain& chain = sync_chain_of(address);
  sequence_ = chain.sequence.load(std::memory_order_acquire);
  // The same load once more: nobody has touched the chain, and it is recorded already. What loops that spin do.
  how_ = How::kAgain;
  if (thread_->nothing_at.address == address && thread_->nothing_at.sequence == sequence_ &&
      is_atomic_read_recorded(*thread_, address, bytes_))
    return;
  how_ = How::kNot;
  if ((sequence_ & 1) != 0) return;
  prefetch_atomic_read(*thread_, address);
  Inside::enter();
  if (sync_nothing_to_learn(chain, address, thread_->C))
    how_ = How::kNothingToLearn;
  else
    Inside::leave();
}

bool AtomicLoad::holds_slow() {
  const uintptr_t address = key(object_);
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool same = sync_chain_of(address).sequence.load(std::memory_order_relaxed) == sequence_;
  if (how_ == How::kAgain) return same;
  RaceFound race;
  if (same) {
    access_atomic(*thread_, address, bytes_, AccessKind::kAtomicRead, pc_, race);
    if (shadow_covers(address)) thread_->nothing_at = {address, sequence_};
  }
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(*thread_, address, bytes_, AccessKind::kAtomicRead, pc_, race);
  return same;
}

void atomic_fence(MemoryOrder written) {
  Thread* const t = modelled();
  if (t == nullptr) return;
  const MemoryOrder order = in_force(written);
  const Inside inside;
  Party party(*t);
  order::fence(party, order);
  if (acquires(order)) t->seen_relaxed.clear();  // C knows it all
  party.done();
}

}  // namespace deadheat::live
