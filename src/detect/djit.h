// DJIT+ and BasicVC: happens-before race detection with a read and a write clock per variable.
//                                            Pozniansky and Schuster, PPoPP 2003; FastTrack's section 2.2
// Idea     Rx(t) and Wx(t) are the clocks of the last read and write of x by t. A read must come after every write, a
//          write after every read and write. BasicVC compares at every access; DJIT+ only at the first read and the
//          first write of x in each epoch of a thread, since later ones cannot race if the first did not.
// State    thread C, E (HappensBefore); variable R, W : AccessSet (a sparse clock with origins)
// Promises Report x iff this run has a race on x, and name the first access that completes one.
// Cost     O(threads that accessed x) for each access that is compared.
// Tested by test/rules/djit_test.cpp, test/differential
//
// One class for both: the short cut is the only difference between them.
#pragma once

#include "detect/access_set.h"
#include "detect/happens_before.h"

namespace deadheat {

enum class VectorClockRule : uint8_t { kReadSameEpoch, kRead, kWriteSameEpoch, kWrite, kAtomicRead, kAtomicWrite };
inline constexpr int kVectorClockRuleCount = 6;

template <bool kShortCut>
class VectorClockDetector {
 public:
  using Rule = VectorClockRule;

  struct Var {
    AccessSet R, W;
    AtomicSets* A = nullptr;  // only for variables that are used atomically
  };

  explicit VectorClockDetector(Arena& arena) : arena_(arena), order_(arena) {}

  void sync(const Event& e) { order_.sync(e); }
  void acquire_part(const Event& e) { order_.acquire_part(e); }
  void release_part(const Event& e) { order_.release_part(e); }
  void forget_atomics(AtomicKey first, uint64_t count) { order_.forget_atomics(first, count); }

  Outcome access(const Access& a, Var& x) {
    const HappensBefore::Thread& t = order_.thread(a.thread);
    switch (a.kind) {
      case AccessKind::kRead:
        return read(t, a, x);
      case AccessKind::kAtomicRead:
      case AccessKind::kAtomicWrite:
        return atomic(t, a, x);
      default:
        return write(t, a, x);
    }
  }
  // An access that `access` would take for a repetition: the thread's second read, or second write, in its epoch.
  bool is_same_epoch(const Access& a, const Var& x) {
    const Epoch E = order_.thread(a.thread).E;
    if (a.kind == AccessKind::kRead) return x.R.contains(E);
    return (a.kind == AccessKind::kWrite || a.kind == AccessKind::kFree) && x.W.contains(E);
  }
  // `access` without its comparisons: only remembers (MultiRace).
  void record(const Access& a, Var& x);
  Conflict conflict() const { return {true, first_}; }
  Var clone(const Var& x);
  void forget(Var& x);
  void count(CounterSink& sink) const;
  void count_clocks(CounterSink& sink) const;

  HappensBefore& order() { return order_; }

 private:
  Outcome read(const HappensBefore::Thread& t, const Access& a, Var& x);
  Outcome write(const HappensBefore::Thread& t, const Access& a, Var& x);
  Outcome atomic(const HappensBefore::Thread& t, const Access& a, Var& x);
  // Remembers the access in `set`, then says whether it raced with `other`.
  Outcome conclude(Rule rule, AccessSet& set, const HappensBefore::Thread& t, const Access& a,
                   const std::optional<AccessSet::Entry>& other);

  Arena& arena_;
  HappensBefore order_;
  Access first_;
  uint64_t fired_[kVectorClockRuleCount] = {};
  VectorClockCost cost_;
};

using BasicVC = VectorClockDetector<false>;
using Djit = VectorClockDetector<true>;

extern template class VectorClockDetector<false>;
extern template class VectorClockDetector<true>;

}  // namespace deadheat
