// Sync objects: the clocks that mutexes, atomics, semaphores, barriers and file descriptors carry, by address.
//
// Idea     A hash table of chains, each with a spin lock. All objects of one cache line of the program share a chain,
//          so a free finds the objects in a block by walking its cache lines (64 KiB regions without objects are
//          skipped).
// Promises An operation that holds the chain's lock is one step with respect to all others on that object: atomics do
//          the real operation inside. `sequence` is odd while locked and grows, so that a load which finds nothing to
//          learn needs no lock (load_without_lock, live/hits.h).
// Tested by test/unit/live_order_test.cpp, test/programs
#pragma once

#include <atomic>
#include <cstdint>

#include "live/ground/hash.h"
#include "live/ground/inside.h"
#include "live/ground/locks.h"
#include "live/order/clock.h"
#include "live/order/thread.h"
#include "live/paths/stacks.h"

namespace deadheat::live {

// Guarded by the lock of the barrier's address, also after the barrier was destroyed.
struct BarrierGeneration {
  uintptr_t barrier = 0;
  uint32_t entered = 0;
  uint64_t number = 0;      // in recordings
  uint32_t references = 1;  // the barrier while it fills, and every thread that entered and has not left
  LiveClock clock;
};
void drop_generation(BarrierGeneration* generation);

struct SyncObject {
  uintptr_t address = 0;
  std::atomic<SyncObject*> next{nullptr};
  LiveClock S;                   // release clock; of a lock: Lw
  LiveClock* readers = nullptr;  // Lr
  LiveClock* told = nullptr;     // what annotations released here; atomic operations on the same bytes leave it alone
  ThreadUid owner = kNobody;     // the thread that holds it for writing
  ThreadUid last_owner{};        // the last holder
  NodeId locked_at{};            // where that was
  Epoch made;                    // when it was initialised; locks are ordered after that
  ThreadUid made_by{};
  NodeId created_at{};
  NodeId alone[2] = {};  // a lock: the nodes of the sets of this lock only, held for writing and for reading
  bool is_lock = false;
  bool reentrant = true;  // may be locked again by its holder
  bool static_storage = false;
  bool not_static = false;
  uint32_t barrier_count = 0;
  BarrierGeneration* generation = nullptr;  // the one that fills now
};

struct SyncChain {
  std::atomic<uint32_t> sequence{0};
  std::atomic<SyncObject*> head{nullptr};
};
inline constexpr uint32_t kSyncChains = 1u << 15;
extern SyncChain sync_chains[kSyncChains] __attribute__((visibility("hidden")));
inline SyncChain& sync_chain_of(uintptr_t address) { return sync_chains[spread<15>(address >> 6)]; }

// Holds the chain of an address. The thread must be `busy`.
class SyncLock {
 public:
  explicit SyncLock(uintptr_t address) : chain_(sync_chain_of(address)), address_(address) { lock(); }
  ~SyncLock() { unlock(); }
  SyncLock(const SyncLock&) = delete;
  SyncLock& operator=(const SyncLock&) = delete;

  SyncObject* find() const {
    for (SyncObject* o = chain_.head.load(std::memory_order_relaxed); o != nullptr;
         o = o->next.load(std::memory_order_relaxed))
      if (o->address == address_) return o;
    return nullptr;
  }
  SyncObject& make() {
    SyncObject* found = find();
    return found != nullptr ? *found : make_slow();
  }
  void remove();
  // What the sequence of the chain will be when this is left.
  uint32_t sequence_after() const { return odd_ + 1; }

  // Of its own accord only where the thread may not come back (Performing).
  void lock() {
    lock_taking(Lock::kSyncChains);
    uint32_t even = chain_.sequence.load(std::memory_order_relaxed) & ~1u;
    if (__builtin_expect(!chain_.sequence.compare_exchange_strong(even, even + 1, std::memory_order_acquire), 0))
      even = lock_slow();
    odd_ = even + 1;
  }
  void unlock() {
    chain_.sequence.store(odd_ + 1, std::memory_order_release);
    lock_left(Lock::kSyncChains);
  }

 private:
  friend void sync_forget_range(uintptr_t begin, size_t bytes);
  friend void sync_move_range(uintptr_t from, uintptr_t to, size_t bytes);
  uint32_t lock_slow();
  SyncObject& make_slow();
  void remove_after(std::atomic<SyncObject*>& link);

  SyncChain& chain_;
  uintptr_t address_;
  uint32_t odd_;
};

// While a thread carries out an instruction of the program inside the run time. It may fault there: then the handler runs
// outside, with no lock held, and may leave by a jump, or wait for other threads (process/signals.cpp).
class Performing {
 public:
  explicit Performing(SyncLock* lock) : lock_(lock) {
    innermost = this;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Performing() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    innermost = nullptr;
  }
  Performing(const Performing&) = delete;
  Performing& operator=(const Performing&) = delete;

  // The one of this thread, until it is given back.
  static Performing* interrupt() {
    Performing* const of = innermost;
    if (of == nullptr) return nullptr;
    innermost = nullptr;
    if (of->lock_ != nullptr) of->lock_->unlock();
    Inside::leave_into_handler();
    return of;
  }
  // The instruction is tried again.
  void go_on() {
    Inside::enter();
    if (lock_ != nullptr) lock_->lock();
    innermost = this;
  }

 private:
  static __thread Performing* innermost __attribute__((tls_model("initial-exec"), visibility("hidden")));
  SyncLock* lock_;
};

// The object at an address without the chain's lock, for a caller that knows that it is not made or removed meanwhile.
// Null if it is not among the first few of the chain.
inline SyncObject* sync_peek(uintptr_t address) {
  SyncObject* o = sync_chain_of(address).head.load(std::memory_order_acquire);
  for (int steps = 0; o != nullptr && steps < 4; ++steps, o = o->next.load(std::memory_order_acquire))
    if (o->address == address) return o;
  return nullptr;
}

// All objects in the bytes are gone.
void sync_forget_range(uintptr_t begin, size_t bytes);
// All objects in the bytes `from` are at `to` now, and whatever was there is gone.
void sync_move_range(uintptr_t from, uintptr_t to, size_t bytes);
// Whether an acquire of the object would teach C nothing. Without the lock: true only if `sequence` of the chain was
// even before and is the same afterwards.
bool sync_nothing_to_learn(const SyncChain& chain, uintptr_t address, const LiveClock& C);
#ifdef NDEBUG
inline void check_nothing_to_learn(const LiveClock&, uintptr_t, uint32_t) {}
#else
// Ends the program if that was said while the chain had this sequence, and is not so.
void check_nothing_to_learn(const LiveClock& C, uintptr_t address, uint32_t sequence);
#endif
// For reports: where the lock at this address was made; kNoNode if unknown.
NodeId sync_created_at(uintptr_t address);

}  // namespace deadheat::live
