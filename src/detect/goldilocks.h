// Goldilocks: happens-before by locksets, evaluated lazily.            Elmas, Qadeer and Tasiran, FATES/RV 2006
//
// Idea     Every access has a lockset: the threads, locks and so on that are ordered after it. An access by t races
//          with an earlier one unless t is in that one's lockset. Locksets are not kept. One list has the events that
//          would change them, and a lockset is computed from the list when two cheap checks have failed: is it the
//          same thread, and does the thread hold a lock that was held then?
// State    list of cells (UpdateList); variable: W, the last write; R, the last read, or the reads of several threads
// Promises Reports x iff this run has a race on x, and names the first access that completes one.
// Cost     O(1) for whatever a short cut answers, as for a variable with one lock, however many threads there are.
//          64 bytes a variable that is not read-shared nor used atomically.
// Tested by test/rules/goldilocks_test.cpp, test/differential
//
// Beyond the paper, or not as printed there; docs/detectors/goldilocks.md gives the reasons:
//   - reads and writes are told apart, so that concurrent reads are no race;
//   - the lock of the second check is one that was held, by a writer, at the variable's last access;
//   - answers of the list are remembered, for each thread and owner;
//   - all accesses of a thread between two of its publications count as one.
#pragma once

#include "detect/goldilocks_order.h"

namespace deadheat {

class Goldilocks {
 public:
  // For reads and for writes: what it took to see that the access is ordered, or that it races.
  enum class Rule : uint8_t {
    kReadFirst,
    kReadSameThread,
    kReadLockHeld,
    kReadLockset,
    kWriteFirst,
    kWriteSameThread,
    kWriteLockHeld,
    kWriteLockset,
    kAtomicRead,
    kAtomicWrite,
    kStopped,
  };
  static constexpr int kRuleCount = 11;

  // Accesses of several threads, by thread. None of them is ordered before a later one of the set, as far as that was
  // cheap to know.
  struct Accesses {
    ArenaVector<RememberedAccess> entries;  // ascending by owner
    uint32_t prune_at = 8;                  // the size at which those that are ordered are looked for
  };
  // Of a variable that is read by several threads or used atomically.
  struct Shared {
    Accesses R;
    Accesses atomic_reads, atomic_writes;
  };
  struct Var {
    RememberedAccess W;
    RememberedAccess R;   // if there is no `shared`
    uint64_t shared = 0;  // the address of a Shared, or kStopped

    static constexpr uint64_t kStopped = 1;
  };
  static_assert(sizeof(Var) == 64);

  explicit Goldilocks(Arena& arena) : arena_(arena), order_(arena) {}
  void configure(const DetectorOptions& options) {
    stop_after_first_ = options.stop_after_first;
    order_.configure(options);
  }

  void sync(const Event& e) { order_.sync(e); }
  void acquire_part(const Event& e) { order_.acquire_part(e); }
  void release_part(const Event& e) { order_.release_part(e); }
  void forget_atomics(AtomicKey first, uint64_t count) { order_.forget_atomics(first, count); }

  Outcome access(const Access& a, Var& x) {
    if (x.shared == Var::kStopped) [[unlikely]]
      return fired(Rule::kStopped, a);
    GoldilocksOrder::Thread& t = order_.thread(a.thread);
    switch (a.kind) {
      case AccessKind::kRead:
        if (order_.is_in_same_epoch(x.R, a.thread, t)) {
          order_.keep_up(x.R);
          return fired(Rule::kReadSameThread, a);
        }
        return read(t, a, x);
      case AccessKind::kAtomicRead:
      case AccessKind::kAtomicWrite:
        return atomic(t, a, x);
      default:
        if (order_.is_in_same_epoch(x.W, a.thread, t)) {
          order_.keep_up(x.W);
          return fired(Rule::kWriteSameThread, a);
        }
        return write(t, a, x);
    }
  }
  Conflict conflict() const { return {true, first_}; }
  Var clone(const Var& x);
  void forget(Var& x);
  void count(CounterSink& sink) const;

  GoldilocksOrder& order() { return order_; }

 private:
  Outcome read(GoldilocksOrder::Thread& t, const Access& a, Var& x);
  Outcome write(GoldilocksOrder::Thread& t, const Access& a, Var& x);
  Outcome atomic(GoldilocksOrder::Thread& t, const Access& a, Var& x);
  // The first of the accesses that is not ordered before t, or null.
  const RememberedAccess* not_before(const Accesses& accesses, const Access& a, GoldilocksOrder::Thread& t);
  bool races(const RememberedAccess& earlier, const Access& a, GoldilocksOrder::Thread& t) {
    return earlier.exists() && !order_.is_ordered(earlier, a.thread, t);
  }
  void put(Accesses& accesses, const Access& a, GoldilocksOrder::Thread& t);
  void prune(Accesses& accesses, const Access& a, GoldilocksOrder::Thread& t);
  Shared& share(Var& x);
  void unshare(Var& x);
  Accesses clone(const Accesses& accesses);
  void release(Accesses& accesses);
  Outcome fired(Rule rule, const Access& a) {
    fired_[static_cast<int>(rule)] += a.kind != AccessKind::kFree;  // a free is no write of the program's
    return {static_cast<uint8_t>(rule), false};
  }
  // Counts the rule that the answers of the list amount to, and names the other side if there is one.
  Outcome conclude(Rule first_rule, const Access& a, Var& x, bool was_accessed, const RememberedAccess* other);

  Arena& arena_;
  GoldilocksOrder order_;
  bool stop_after_first_ = false;
  Access first_;
  uint64_t fired_[kRuleCount] = {};
};

}  // namespace deadheat
